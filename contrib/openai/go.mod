module github.com/toolverdict/toolverdict/contrib/openai

go 1.26.0

require (
	github.com/openai/openai-go/v3 v3.99.0
	github.com/toolverdict/toolverdict v0.0.0
)

require (
	github.com/coder/websocket v1.8.15 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/mod v0.43.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/toolverdict/toolverdict => ../..
