#!/bin/bash
# The part of device.sh that needs the device: device-run.sh DIRECTORY runs the tests that DIRECTORY/tests/list names, leaving
# a log of each, records what DIRECTORY/scenarios names, and the programs of device-programs.sh where there is DIRECTORY/programs.
# What could not be recorded is named in DIRECTORY/failed.
set -euo pipefail
cd "$(dirname "$0")/.."
traces=$1
device=()
if [ -n "$DEVICE" ]; then device=(--device "$DEVICE"); fi

if [ -e "$traces/tests/list" ]; then
	while read -r test package folder; do
		echo "testing $package"
		(cd "$folder" && "$traces/tests/$test" -test.v=test2json -test.timeout=2m) >"$traces/tests/$test.log" 2>&1 ||
			echo "  failed"
	done <"$traces/tests/list"
fi

if [ -e "$traces/scenarios" ]; then
	while read -r scenario; do
		timeout --kill-after=5 120 bin/ndkrecord --provider verbs "${device[@]}" --scenario "$scenario" --seed "$SEED" --ops "$OPS" \
			-o "$traces/$scenario.ndktrace.jsonl" --verbs-trace "$traces/$scenario.verbs.ndktrace.jsonl" ||
			echo "$scenario" >>"$traces/failed"
	done <"$traces/scenarios"
fi

if [ -d "$traces/programs" ]; then scripts/device-programs.sh "$traces/programs"; fi
