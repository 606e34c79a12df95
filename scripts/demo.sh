#!/bin/bash
# Everything once: installs what is missing, builds, model-checks the contract, records the reference provider and a real
# device, and judges every trace. The last thing printed is the table of verdicts, beside what was expected.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
source scripts/steps.sh

reference=build/reference
seed=${SEED:-1} ops=${OPS:-40}

record_reference() {
	local scenario
	rm -rf "$reference"
	mkdir -p "$reference"
	bin/ndkrecord --list | while read -r scenario _; do
		bin/ndkrecord --provider refimpl --scenario "$scenario" --seed "$seed" --ops "$ops" \
			-o "$reference/$scenario.ndktrace.jsonl" || return 1
	done
}

model_check() {
	if make -q build/tlc/passed; then
		echo "all configurations were as pinned, and nothing has changed since (make tlc runs them again)"
	else
		make -s build/tlc/passed
	fi
}

scripts/install.sh
step "build" make -s build
if [ "${#failed[@]}" -gt 0 ]; then die "the programs could not be built, and all else needs them" "make build"; fi
step "model-check the contract" model_check
step "record the reference provider" record_reference
step "record an RDMA device" env SEED="$seed" OPS="$ops" scripts/device.sh record
step "judge the traces" scripts/judge.sh

printf '\n%d s in all\n' "$SECONDS"
if [ "${#failed[@]}" -gt 0 ]; then
	printf 'failed:'
	printf ' [%s]' "${failed[@]}"
	echo
	exit 1
fi
