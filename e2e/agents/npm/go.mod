// This file only keeps the Go tool out of node_modules: the folder holds no Go code.
module github.com/toolverdict/toolverdict/e2e/agents/npm

go 1.26.0
