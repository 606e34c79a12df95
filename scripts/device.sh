#!/bin/bash
# device.sh [test] [record] [programs] [kernel] [smb]: tests the binding on a real RDMA device; records every scenario on it, at the NDK level and
# at the verbs level beneath, into build/device/; records unmodified programs on it, into build/device/programs/, and kernel code, into
# build/device/kernel/. Without arguments it does all of that. smb records one kernel consumer more, SMB Direct, which guest-smb.sh has to build first. The device is this
# machine's own where it has one, else Soft-RoCE in a virtual machine. Kernel code is recorded in the virtual machine alone.
#
#   GUEST=1   the virtual machine, even where this machine has a device
#   DEVICE=   name of the device of this machine (default: the first)
#   SEED= OPS=   of the recordings
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
traces=$PWD/build/device
wants() { [[ " $what " = *" $1 "* ]]; }
what=${*:-test record programs kernel}

has_device() {
	local file
	for file in /dev/infiniband/uverbs*; do
		if [ -r "$file" ] && [ -w "$file" ]; then return; fi
	done
	return 1
}

if wants test || wants record || wants programs; then
	scripts/has-verbs.sh || die "the verbs provider can't be built: no cgo, or no headers of libibverbs" "scripts/install.sh"
fi

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
if wants programs; then
	mkdir -p "$traces/programs"
	go build -tags=ibverbs -o bin/ndkrecord ./cmd/ndkrecord
	scripts/preload.sh bin
	gcc -Wall -Wextra -Werror -O2 internal/preload/testdata/extended.c -o "$traces/programs/extended" -libverbs
fi

run=(env "DEVICE=${DEVICE-}" "SEED=${SEED-1}" "OPS=${OPS-40}" scripts/device-run.sh "$traces")
if ! wants test && ! wants record && ! wants programs; then
	:
elif [ -z "${GUEST-}" ] && has_device; then
	"${run[@]}"
else
	scripts/guest.sh --timeout 1200 -- "${run[@]}"
fi
status=0
if wants kernel || wants smb; then
	mkdir -p "$traces/kernel"
	CGO_ENABLED=0 go build -o "$traces/kernel/ndkrecord" ./cmd/ndkrecord
fi
if wants kernel; then
	scripts/guest.sh --timeout 1800 -- scripts/device-kernel.sh "$traces/kernel" || status=1
fi
if wants smb; then
	smb=$(scripts/guest-smb.sh)
	scripts/guest.sh --timeout 900 -- scripts/device-smb.sh "$traces/kernel" "$smb" || status=1
fi

if wants test; then
	while read -r test package _; do
		go tool test2json -p "$package" <"$traces/tests/$test.log"
	done <"$traces/tests/list" | bin/testreport ${COUNTS:+-counts "$COUNTS"} || status=1
fi
if [ -s "$traces/failed" ]; then
	say "error: not recorded: $(paste -sd ' ' "$traces/failed")"
	status=1
fi
if [ -s "$traces/programs/skipped" ]; then
	say "not recorded, as they are not installed: $(paste -sd ' ' "$traces/programs/skipped") (scripts/install.sh)"
fi
if [ -s "$traces/programs/failed" ]; then
	say "error: programs that were not recorded: $(paste -sd ' ' "$traces/programs/failed")"
	status=1
fi
if [ -s "$traces/kernel/failed" ]; then
	say "error: kernel code that was not recorded: $(paste -sd ' ' "$traces/kernel/failed")"
	status=1
fi
exit "$status"
