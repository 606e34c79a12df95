# shellcheck shell=bash
# How kernel code is recorded in the virtual machine of guest.sh: to be sourced, where $traces is the folder of the recordings. It loads the modules of
# the consumers. What failed is named in $traces/failed.

if [ ! -e /modules/all ]; then
	echo "${0##*/}: error: it runs in the virtual machine alone, where scripts/device.sh starts it" >&2
	exit 1
fi
mkdir -p "${traces:?}"

# What a module needs stands before it.
while read -r module; do
	if [ ! -e "/sys/module/$(tr - _ <<<"${module%.ko}")" ]; then insmod "/modules/$module"; fi
done </modules/all
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
for host in 2 3 4; do ip address add "192.0.2.$host/24" dev dummy0; done

# fresh_device replaces the device: the kernel keeps completion queues for all consumers as long as a device is there, and what uses one that was created before is
# left out.
fresh_device() {
	if rdma link show rxe0/1 >/dev/null 2>&1; then rdma link delete rxe0; fi
	rdma link add rxe0 type rxe netdev dummy0
}

# one_processor stops the other. Where two post to one queue at once it is not known which of them came first, and what rests on it is undecided. One
# processor has two of them seldom.
one_processor() { echo 0 >/sys/devices/system/cpu/cpu1/online; }

# write_and_read DIRECTORY: writers and readers at once, and small files. The directory shows what is in /mnt/store.
write_and_read() {
	local i
	dd if=/dev/urandom of=/mnt/store/read bs=64k count=50
	for i in 1 2 3; do
		dd if=/dev/zero "of=$1/$i" bs=64k count=50 oflag=direct &
		dd "if=$1/read" of=/dev/null bs=16k count=50 iflag=direct &
	done
	for i in $(jobs -p); do wait "$i"; done
	for i in $(seq 20); do echo "$i" >"$1/small$i"; done
	cmp "$1/read" /mnt/store/read
}
export -f write_and_read

# recorded NAME STATUS: what a recording that has ended leaves.
recorded() {
	grep '^ndkrecord: .* events' "$traces/$1.log" || true
	if [ "$2" != 0 ]; then
		echo "$1" >>"$traces/failed"
		echo "  failed: $2"
		tail -n 5 "$traces/$1.log"
		dmesg >"$traces/$1.dmesg"
	fi
}

# How long silence has to last to be taken for rest. On a busy machine the virtual one stands still at times.
rest=3s

# record NAME COMMAND...: records while the command runs, a function of this script.
record() {
	local name=$1 status=0
	shift
	echo "recording $name"
	fresh_device
	export -f "${1?}"
	timeout --kill-after=5 300 "$traces/ndkrecord" attach --kernel --rest "$rest" -o "$traces/$name.ndktrace.jsonl.zst" -- bash -ec '"$@"' bash "$@" \
		>"$traces/$name.log" 2>&1 || status=$?
	recorded "$name" "$status"
}

# record_until SIGNAL NAME COMMAND...: records until the signal comes, behind the command.
record_until() {
	local signal=$1 name=$2 status=0 pid
	shift 2
	echo "recording $name"
	fresh_device
	"$traces/ndkrecord" attach --kernel --rest "$rest" -o "$traces/$name.ndktrace.jsonl.zst" >"$traces/$name.log" 2>&1 &
	pid=$!
	until grep -q 'recording the kernel' "$traces/$name.log"; do
		kill -0 "$pid" || break
		sleep 0.1
	done
	timeout --kill-after=5 300 "$@" || status=$?
	sleep 4 # so that there is rest
	kill "-$signal" "$pid"
	wait "$pid" || status=$?
	recorded "$name" "$status"
}
