module github.com/toolverdict/toolverdict/contrib/nethttp

go 1.26.0

require github.com/toolverdict/toolverdict v0.0.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/mod v0.43.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/toolverdict/toolverdict => ../..
