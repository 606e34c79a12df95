# `make help` lists what there is. The work that takes more than a line is in scripts/.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.PHONY: help install build demo docs release release-check test race fuzz histories bench tlc tlc-more tlc-full tlc-distributed tlc-traces graph graph-full prove prove-more mutants device device-smb fmt vet lint clean

# The verbs provider needs cgo and the headers of libibverbs; all else is built without them.
verbs = $(shell scripts/has-verbs.sh && echo '-tags=ibverbs')

# tracecheck begins with a look at its standard output (internal/stdio), where there is code for that.
entry = $(if $(filter linux/amd64 linux/arm64,$(shell go env GOOS)/$(shell go env GOARCH)),-ldflags=-E=ndkoracle/internal/stdio.entry)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 10

install: ## install with apt what this machine lacks
	@scripts/install.sh

build: ## bin/tracecheck, one static file without cgo, and bin/ndkrecord
	@mkdir -p bin build
	CGO_ENABLED=0 go build $(entry) -o bin/tracecheck ./cmd/tracecheck
	go build $(verbs) -o bin/ndkrecord ./cmd/ndkrecord
	@if scripts/has-verbs.sh; then scripts/preload.sh bin; fi
	@scripts/has-verbs.sh || echo 'bin/ndkrecord: without the verbs provider (no cgo, or no headers of libibverbs; make install)'

demo: ## everything once: model-check, record two providers, judge every trace; ends with a table
	@scripts/demo.sh

docs: ## the site of docs/ into build/site, by mkdocs-material; fetches it once (python3-venv)
	@scripts/docs.sh

release: ## archives for seven targets and a Debian package, into build/release; without network
	@scripts/release.sh

release-check: ## run what make release built: the version, and the corpus as here (Windows under wine, with mingw-w64; other processors under qemu-user-static)
	@scripts/release-check.sh

test: ## all checks: vet, race detector, TLC, corpus, the device
	@scripts/test.sh

race: ## the Go tests, under the race detector
	go test -race -timeout 30m $(verbs) ./...

# Where what was found is made small without a bound, most of the time goes there.
fuzz: ## fuzz the reader, the engines and the witnesses, each for a minute; FUZZTIME=1h for longer
	for f in trace/FuzzReader trace/FuzzDecoder trace/FuzzForms linearize/FuzzCheck linearize/witness/FuzzVerify; do \
		go test ./$${f%/*} -run '^$$' -fuzz "^$${f#*/}$$" -fuzztime $(or $(FUZZTIME),1m) -fuzzminimizetime 20x || exit; done

histories: ## hold the streaming engine against the searches on 100,000 random histories; NDK_HISTORIES=1000000 for more, NDK_SEED and NDK_FROM for others
	GOGC=400 NDK_HISTORIES=$(or $(NDK_HISTORIES),100000) go test ./linearize/histories -count=1 -timeout 0 -v -run '^TestRandomHistories$$'

bench: ## the benchmarks
	go test $(verbs) -run '^$$' -bench . -benchmem ./...
	cd internal/jsonbench && go test -run '^$$' -bench . -benchtime 10x .

tlc: ## model-check the contract and known-wrong ones, against their pinned numbers
	go run ./cmd/tlcrun
	@touch build/tlc/passed

tlc-more: ## the same, with other readings of the open questions, and the consumer's patterns of use
	go run ./cmd/tlcrun -more

tlc-full: ## the same, with the configurations that take minutes, and tens of minutes
	go run ./cmd/tlcrun -full

tlc-distributed: ## the largest configuration again, in TLC's distributed mode: a server and two workers
	go run ./cmd/tlcrun -distributed

tlc-traces: ## have TLC decide every trace of the corpus, recordings too: the third opinion
	NDK_TRACES=all go test -count=1 -timeout 60m -v -run 'TestCorpus|TestRecordings' ./internal/tlcjudge

graph: ## compare TLC's state graph of each configuration that holds, but for the longest, with that of the Go model: states, steps, arguments
	go run ./cmd/tlcrun -graph

graph-full: ## the same, with the configurations that take minutes, and tens of minutes
	go run ./cmd/tlcrun -graph -full

prove: ## prove the contract for every depth: one CQ, one QP, the patterns of use, by z3 from the TLA+ text
	go run ./cmd/prove

prove-more: ## the same for every reading, and by cvc5 as well; known-wrong rules, which must fail; the formulas against TLC's graphs
	go run ./cmd/prove -more
	go run ./cmd/prove -graph
	go run ./cmd/prove -needs
	go run ./cmd/prove -mutants 100

mutants: ## change one clause of the contract at a time, in TLA+ and in Go, and see that each change is found
	go run ./cmd/mutants

# For the demo: out of date when anything changed since every configuration was as pinned.
build/tlc/passed: $(shell find tla cmd/tlcrun internal/tlc -type f)
	@$(MAKE) -s tlc

device: build ## test and record an RDMA device of this machine, or Soft-RoCE in a virtual machine
	@scripts/device.sh

device-smb: build ## build SMB Direct for the virtual machine's kernel, record it there on Soft-RoCE, and judge it; downloads 170 MB once (gcc-12)
	@scripts/device.sh smb && scripts/judge.sh kernel

fmt: ## gofmt all Go files
	gofmt -w .

vet: ## gofmt, go vet (for Linux, Windows and macOS) and go mod tidy, changing nothing
	@unformatted=$$(gofmt -l .) && if [ -n "$$unformatted" ]; then echo "not gofmt'ed: $$unformatted" >&2; exit 1; fi
	go mod tidy -diff
	go vet ./...
	GOOS=windows CGO_ENABLED=0 go vet ./...
	GOOS=darwin CGO_ENABLED=0 go vet ./...
	$(if $(verbs),go vet $(verbs) ./...)

lint: vet ## vet, and shellcheck on the scripts (apt-get install shellcheck)
	shellcheck -x -P scripts scripts/*.sh .ci/run
	shellcheck -s dash scripts/guest-init

clean: ## remove bin/ and build/, the guest's kernel and the recordings among them
	rm -rf bin build
