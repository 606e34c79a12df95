#!/bin/bash
# device.sh [test] [record]: tests the binding on a real RDMA device; records every scenario on it, at the NDK level and at
# the verbs level beneath, into build/device/. Without arguments it does both. The device is this machine's own where it has
# one, else Soft-RoCE in a virtual machine.
#
#   GUEST=1   the virtual machine, even where this machine has a device
#   DEVICE=   name of the device of this machine (default: the first)
#   SEED= OPS=   of the recordings
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
traces=$PWD/build/device
wants() { [[ " $what " = *" $1 "* ]]; }
what=${*:-test record}

has_device() {
	local file
	for file in /dev/infiniband/uverbs*; do
		if [ -r "$file" ] && [ -w "$file" ]; then return; fi
	done
	return 1
}

scripts/has-verbs.sh || die "the verbs provider can't be built: no cgo, or no headers of libibverbs" "scripts/install.sh"

rm -rf "$traces"
mkdir -p "$traces/tests"
if wants test; then
	go build -o bin/testreport ./cmd/testreport
	while read -r package folder; do
		test=${package//\//.}
		go test -c -tags=ibverbs -o "$traces/tests/$test" "$package"
		echo "$test $package $folder"
	done < <(go list -tags=ibverbs -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./hwbinding/...) \
		>"$traces/tests/list"
fi
if wants record; then
	go build -tags=ibverbs -o bin/ndkrecord ./cmd/ndkrecord
	bin/ndkrecord --list | awk '{ print $1 }' >"$traces/scenarios"
fi

run=(env "DEVICE=${DEVICE-}" "SEED=${SEED-1}" "OPS=${OPS-40}" scripts/device-run.sh "$traces")
if [ -z "${GUEST-}" ] && has_device; then
	"${run[@]}"
else
	scripts/guest.sh --timeout 900 -- "${run[@]}"
fi

status=0
if wants test; then
	while read -r test package _; do
		go tool test2json -p "$package" <"$traces/tests/$test.log"
	done <"$traces/tests/list" | bin/testreport ${COUNTS:+-counts "$COUNTS"} || status=1
fi
if [ -s "$traces/failed" ]; then
	say "error: not recorded: $(paste -sd ' ' "$traces/failed")"
	status=1
fi
exit "$status"
