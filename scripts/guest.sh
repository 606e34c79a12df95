#!/bin/bash
# Runs a command on a Linux 6.12 kernel with a Soft-RoCE device (rxe0), in QEMU.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
source "$scripts/messages.sh"
build=$(dirname "$scripts")/build
DIE_STATUS=125

usage() {
	cat <<-END
		usage: scripts/guest.sh [--accel kvm|tcg] [--mem SIZE] [--timeout SECONDS] [--results DIRECTORY] -- COMMAND [ARGUMENT...]

		Runs COMMAND in a virtual machine that has a Soft-RoCE device, rxe0, and sees this machine's files.
		It starts in the current directory. What it writes in DIRECTORY (default: build/) is kept; all else it writes is lost.
		Its output and errors come out together on the standard output.

		  --accel    kvm, or tcg (software emulation); default: kvm where it works
		  --mem      memory of the machine, as QEMU takes it (default 2G)
		  --timeout  seconds until the machine is stopped, boot included (default 600)

		Exit status: COMMAND's; 124 when the time ran out; 125 when the machine itself failed; 2 for wrong usage.
	END
}

wrong() {
	say "$1"
	usage >&2
	exit 2
}

accel='' mem=2G seconds=600 results=$build
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage; exit 0 ;;
	--) shift; break ;;
	--accel | --mem | --timeout | --results) [ $# -ge 2 ] || wrong "$1 needs a value" ;;
	*) wrong "unknown argument $1" ;;
	esac
	case $1 in
	--accel) accel=$2 ;;
	--mem) mem=$2 ;;
	--timeout) seconds=$2 ;;
	--results) results=$2 ;;
	esac
	shift 2
done
[ $# -gt 0 ] || wrong "no command after --"
[[ $accel =~ ^(kvm|tcg)?$ ]] || wrong "--accel is kvm or tcg, not $accel"
[[ $seconds =~ ^[1-9][0-9]*$ ]] || wrong "--timeout takes whole seconds, not $seconds"

[ "$(uname -m)" = x86_64 ] || die "the guest runs Debian's amd64 kernel, and this machine is $(uname -m)"
for tool in qemu-system-x86_64:qemu-system-x86 rdma:iproute2 ip:iproute2; do
	PATH=$PATH:/usr/sbin:/sbin type -P "${tool%:*}" >/dev/null ||
		die "${tool%:*} is missing" "$scripts/install.sh (or: apt-get install ${tool#*:})"
done

mkdir -p "$build/guest" "$results"
results=$(cd "$results" && pwd)
kernel=$("$scripts/guest-kernel.sh") || exit "$DIE_STATUS"
run=$(mktemp -d "$build/guest/run.XXXXXX")
qemu=
# shellcheck disable=SC2317 # called by the trap
finish() {
	if [ -n "$qemu" ]; then
		kill "$qemu" 2>/dev/null || true
		wait "$qemu" || true
	fi
	rm -rf "$run"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# machine ACCEL SECONDS APPEND ARGUMENT...: boots the kernel, waits for its end, and returns QEMU's status, or 124 when
# the time is up. QEMU dies with this script, however that ends.
machine() {
	local accel=$1 seconds=$2 append=$3 status=0
	shift 3
	case $accel in
	kvm) set -- -accel kvm -cpu host "$@" ;;
	# The kernel patches its own code as it boots, and where each processor has a thread one may go on with what another has taken
	# back: "Oops: int3", in one boot of many. With one thread for both the recordings take no longer.
	# Nor does it look whether the timer ticks: where other programs need the processors that takes so long that it panics.
	tcg)
		set -- -accel tcg,thread=single -cpu max "$@"
		append="no_timer_check $append"
		;;
	esac
	: >"$run/console"
	setpriv --pdeathsig TERM timeout --kill-after=5 "$seconds" setpriv --pdeathsig KILL \
		qemu-system-x86_64 "$@" -m "$mem" -smp 2 -nodefaults -no-user-config -display none -no-reboot \
		-kernel "$kernel/vmlinuz" -initrd "$kernel/initramfs.cpio" \
		-append "console=ttyS0 loglevel=4 panic=-1 oops=panic mitigations=off $append" \
		-serial "file:${run//,/,,}/console" </dev/null &
	qemu=$!
	wait "$qemu" || status=$?
	qemu=
	return "$status"
}

# /dev/kvm may be there and still not run a machine (nested, or no permission), so one is booted; once per boot of the host.
kvm_works() {
	local known=$build/guest/kvm answer=no boot
	boot=$(cat /proc/sys/kernel/random/boot_id)
	if [ ! -w /dev/kvm ]; then return 1; fi
	if ! grep -q "^$boot " "$known" 2>/dev/null; then
		if machine kvm 10 probe 2>"$run/probe" && grep -q 'guest-init: up' "$run/console"; then answer=yes; fi
		echo "$boot $answer" >"$known"
	fi
	grep -q ' yes$' "$known"
}

if [ -z "$accel" ]; then
	if kvm_works; then accel=kvm; else accel=tcg; fi
fi

# The programs in the guest run where, and with the settings, they would have here.
{
	printf 'cd %q || exit 125\n' "$PWD"
	for name in PATH HOME LANG; do
		if [ -n "${!name-}" ]; then printf 'export %s=%q\n' "$name" "${!name}"; fi
	done
	echo 'ulimit -l unlimited'
	printf 'exec'
	printf ' %q' "$@"
	echo
} >"$run/script"
echo "$run/script" >"$run/command"
echo "$results" >"$run/results"

say "Linux ${kernel##*/linux-} with rxe0, by $accel"
# QEMU writes into a pipe: a file it would truncate, and on a terminal it would change the settings.
exec {output}> >(cat)
reader=$!
status=0
machine "$accel" "$seconds" '' \
	-virtfs "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap" \
	-virtfs "local,path=${results//,/,,},mount_tag=results,security_model=none,multidevs=remap" \
	-virtfs "local,path=${run//,/,,},mount_tag=run,security_model=none" \
	-device virtio-serial-pci -chardev "file,id=output,path=/dev/fd/$output" -device virtserialport,chardev=output ||
	status=$?
exec {output}>&-
wait "$reader"

if [ -s "$run/lost" ]; then
	say "lost, as only what is written below $results is kept (--results names another folder):"
	sed 's/^/  | /' "$run/lost" >&2
fi
if [ -s "$run/status" ]; then exit "$(cat "$run/status")"; fi

mv "$run/console" "$build/guest/console"
say "the last lines of build/guest/console, which the guest's kernel wrote:"
tail -n 20 "$build/guest/console" | sed 's/^/  | /' >&2
if [ "$accel" = kvm ] && ! grep -q 'guest-init: up' "$build/guest/console"; then
	die "KVM did not boot the guest (QEMU ended with status $status)" "--accel tcg"
fi
if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
	DIE_STATUS=124 die "the guest had not finished after $seconds s, and was stopped" "a larger --timeout"
fi
reason=$(grep -aoE 'guest-init: error: .*|Kernel panic.*' "$build/guest/console" | head -n 1 || true)
die "the guest ended without running the command to its end: ${reason:-QEMU ended with status $status}"
