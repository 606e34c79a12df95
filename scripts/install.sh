#!/bin/bash
# Installs, with apt, what building and testing need and this machine lacks. What works already is left alone, wherever it
# comes from. Go and make are presupposed; Go's modules, the TLC jar and the guest's kernel come later, into their caches.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
source "$scripts/messages.sh"
source "$scripts/apt.sh"

has() { type -P "$1" >/dev/null; }

# links SOURCE_LINE LIBRARY...: whether C that has the line compiles, and links with the libraries.
links() {
	local line=$1
	shift
	printf '%s\nint main(void) { return 0; }\n' "$line" | gcc -x c -o /dev/null - "${@/#/-l}" 2>/dev/null
}

java_runs() { java -version 2>&1 | grep -qE 'version "(1[1-9]|[2-9][0-9])'; }
knows_rxe() { find /usr/lib /lib -name 'librxe-rdmav*.so' 2>/dev/null | grep -q .; }
ethernet_rdma() { has rdma && has ip; }
has_chromium() { has chromium || has chromium-browser || has google-chrome; }
modules() { has depmod && has modprobe; }

missing=()
# need PACKAGE PROBE...: the package is missing when the probe fails.
need() {
	local package=$1
	shift
	"$@" || missing+=("$package")
}

need gcc has gcc
need libc6-dev links '#include <stdio.h>'
need libibverbs-dev links '#include <infiniband/verbs.h>' ibverbs
need librdmacm-dev links '#include <rdma/rdma_cma.h>' rdmacm
need ibverbs-providers knows_rxe
need ibverbs-utils has ibv_devinfo
need perftest has ib_send_lat
need rdmacm-utils has rping
need libfabric-bin has fi_pingpong
need python3-pyverbs /usr/bin/python3 -c 'import pyverbs'
need openjdk-17-jre-headless java_runs
need maven has mvn
need qemu-system-x86 has qemu-system-x86_64
need iproute2 ethernet_rdma
need kmod modules
need ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
need util-linux has setpriv
need python3 has python3
need python3-venv python3 -c 'import ensurepip'
need babeltrace2 has babeltrace2
need g++ has g++
need gcc-mingw-w64-x86-64 has x86_64-w64-mingw32-gcc
need g++-mingw-w64-x86-64 has x86_64-w64-mingw32-g++
need wine has wine
need clang has clang
need llvm has llvm-strip
need z3 has z3
need cvc5 has cvc5
need chromium has_chromium
need npm has npm

if ! has go; then
	die "go is missing; it is not taken from apt, whose version is too old" "install Go 1.26 or newer, and put its bin/ in PATH"
fi
if [ "${#missing[@]}" -eq 0 ]; then
	say "nothing is missing"
	exit
fi

type -P apt-get >/dev/null ||
	die "missing: ${missing[*]} (names of Debian's packages), and there is no apt-get to install them" \
		"your system's own package manager"
may_install ||
	die "missing: ${missing[*]}; installing them takes root, and sudo without a password does not work" \
		"sudo apt-get install --no-install-recommends ${missing[*]}"

install() { apt_get install -y --no-install-recommends "${missing[@]}"; }

log=$(mktemp)
trap 'rm -f "$log"' EXIT
say "installing ${missing[*]}"
# The lists of a fresh machine are empty, and those of an old one name versions that are gone.
if ! install >"$log" 2>&1; then
	say "updating apt's lists first"
	apt_get update >"$log" 2>&1 || say "apt-get update had errors; trying all the same"
	install >>"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		die "apt-get could not install ${missing[*]}" "apt-get update && apt-get install --no-install-recommends ${missing[*]}"
	}
fi
say "installed"
