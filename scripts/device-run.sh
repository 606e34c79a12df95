#!/bin/bash
# The part of device.sh that needs the device: device-run.sh DIRECTORY runs the tests built there, leaving a log of each,
# and records every scenario. A scenario that could not be recorded is named in DIRECTORY/failed.
set -euo pipefail
cd "$(dirname "$0")/.."
traces=$1
device=()
if [ -n "$DEVICE" ]; then device=(--device "$DEVICE"); fi

while read -r package folder; do
	test=$traces/tests/${package//\//.}
	echo "testing $package"
	(cd "$folder" && "$test.test" -test.v=test2json -test.timeout=5m) >"$test.log" 2>&1 || echo "  failed"
done <"$traces/tests/list"

bin/ndkrecord --list | while read -r scenario _; do
	echo "recording $scenario"
	if ! bin/ndkrecord --provider verbs "${device[@]}" --scenario "$scenario" --seed "$SEED" --ops "$OPS" \
		-o "$traces/$scenario.ndktrace.jsonl" --verbs-trace "$traces/$scenario.verbs.ndktrace.jsonl" 2>"$traces/message"; then
		echo "$scenario: $(cat "$traces/message")" >>"$traces/failed"
	fi
done
rm -f "$traces/message"
