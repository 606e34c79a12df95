#!/bin/bash
# Tests the binding on a real RDMA device, and records every scenario on it, at the NDK level and at the verbs level
# beneath, into build/device/. The device is this machine's own where it has one, else Soft-RoCE in a virtual machine.
#
#   GUEST=1   the virtual machine, even where this machine has a device
#   DEVICE=   name of the device of this machine (default: the first)
#   SEED= OPS=   of the recordings
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
traces=$PWD/build/device

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
go build -o bin/testreport ./cmd/testreport
go build -tags=ibverbs -o bin/ndkrecord ./cmd/ndkrecord
while read -r package folder; do
	go test -c -tags=ibverbs -o "$traces/tests/${package//\//.}.test" "$package"
	if [ -e "$traces/tests/${package//\//.}.test" ]; then echo "$package $folder"; fi
done < <(go list -tags=ibverbs -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./hwbinding/... | sed '/^$/d') \
	>"$traces/tests/list"

run=(env "DEVICE=${DEVICE-}" "SEED=${SEED-1}" "OPS=${OPS-40}" scripts/device-run.sh "$traces")
if [ -z "${GUEST-}" ] && has_device; then
	"${run[@]}"
else
	scripts/guest.sh --timeout 900 -- "${run[@]}"
fi

status=0
while read -r package _; do
	go tool test2json -p "$package" <"$traces/tests/${package//\//.}.log"
done <"$traces/tests/list" | bin/testreport ${COUNTS:+-counts "$COUNTS"} || status=$?
if [ -s "$traces/failed" ]; then
	say "not recorded:"
	cat "$traces/failed" >&2
	status=1
fi
exit "$status"
