#!/bin/bash
# All checks, with a line on each as it starts and ends; a failed one does not keep the others from running.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
source scripts/steps.sh

counts=build/test/counts
mkdir -p build/test
rm -f "$counts"
export COUNTS=$PWD/$counts

# On a machine that others use, too, a package may take longer than the ten minutes that Go gives it.
go_tests() {
	local tags=()
	if scripts/has-verbs.sh; then tags=(-tags=ibverbs); fi
	go build -o bin/testreport ./cmd/testreport &&
		go test -race -timeout 30m -json "${tags[@]}" ./... | bin/testreport -counts "$COUNTS"
}

# Without the race detector, whose cost these can't bear: each seeded bug found, and nothing found in 2,100 recordings.
seeded_bugs() {
	go test -tags=seededbugs -json -run 'Seeded|Bug' ./conformance ./refimpl | bin/testreport -counts "$COUNTS" &&
		NDK_SEEDS=150 go test -json -run TestReferenceProviderIsConformant ./conformance | bin/testreport -counts "$COUNTS"
}

# Without the race detector, too: the engines against each other and against a plain search, two minutes of one processor.
histories() {
	NDK_HISTORIES=60000 go test -count=1 -json -run '^TestRandomHistories$' ./linearize/histories | bin/testreport -counts "$COUNTS"
}

# Without the race detector, under which they take a sample (internal/raced): each breach of the corpus, minimized and behind a long run, by every engine.
one_rule() {
	go test -count=1 -timeout 30m -json ./internal/minimize | bin/testreport -counts "$COUNTS"
}

scripts/install.sh
step "formatting and vet" make -s vet
step "build" make -s build
step "Go tests, race detector, corpus" go_tests
step "one rule for one breach" one_rule
step "seeded bugs" seeded_bugs
step "random histories" histories
step "TLC" make -s tlc-more
step "the model's graphs" make -s graph
step "proofs for every depth" make -s prove
step "mutants, a sample" go run ./cmd/mutants -sample 12
step "device" scripts/device.sh
step "verdicts on the device's traces" scripts/judge.sh device programs kernel

printf '\n%d s in all\n' "$SECONDS"
if [ "${#failed[@]}" -gt 0 ]; then
	printf 'failed:'
	printf ' [%s]' "${failed[@]}"
	echo
fi
# The sum over the Go tests here and those that ran on the device.
awk '{ passed += $1; failed += $3; skipped += $5 }
	END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$counts"
[ "${#failed[@]}" -eq 0 ]
