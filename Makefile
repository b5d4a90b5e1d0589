PREFIX ?= $(HOME)/.local
export CGO_ENABLED = 0

build: ## the binaries, into bin/
	go build -o bin/ ./cmd/...

demo: build ## the main job, on the examples
	bin/ihmt demo

test: ## every test
	go test ./...

test-clients: ## the tools with real agents, from the npm registry
	scripts/test-clients

lint: ## format, vet, staticcheck
	@test -z "$$(gofmt -l cmd pkg mcp scripts testdata)" || { gofmt -l cmd pkg mcp scripts testdata; echo 'not formatted: run gofmt -w'; exit 1; }
	go vet ./...
	go tool staticcheck ./...

check: lint test ## what every commit passes

cross: ## the same binaries for the other systems
	GOOS=darwin GOARCH=arm64 go build -o /dev/null ./cmd/...
	GOOS=windows GOARCH=amd64 go build -o /dev/null ./cmd/...

install: build ## the tools into $(PREFIX)/bin, manual pages and completions into $(PREFIX)/share
	mkdir -p $(PREFIX)/bin
	install bin/ihmt* $(PREFIX)/bin/
	scripts/manuals bin $(PREFIX)/share

audit: ## known vulnerabilities of what is linked, by vuln.go.dev
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

release: ## archives for every system, into dist/: the same bytes every time
	go run ./scripts/internal/release dist

.PHONY: build demo test test-clients lint check cross install audit release
