#!/bin/bash
# The part of device.sh that records programs of others: device-programs.sh DIRECTORY runs each pair of a server and a client, which are not changed, under
# ndkrecord run, and leaves DIRECTORY/NAME-server.ndktrace.ctf, DIRECTORY/NAME-client.ndktrace.ctf and logs. What failed is named in DIRECTORY/failed, what
# is not installed in DIRECTORY/skipped. The programs meet at the address that the device has on its network.
#
# ib_send_lat -e is left out: it waits for events of two queues of one entry each on one channel, and takes one for the other. Then
# it posts too early (POST-06), overruns the queue, and waits for ever. ucx_perftest is left out: at its end it waits for acknowledgements that don't come,
# whether it is recorded or not.
set -euo pipefail
cd "$(dirname "$0")/.."
traces=$1
device=${DEVICE:-$(basename "$(find /sys/class/infiniband/ -mindepth 1 | sort | head -n 1)")}
ports=/sys/class/infiniband/$device/ports/1

# The first address of IPv4, and its index: programs take one of IPv6 of the link for no one's.
index='' address=''
for file in "$ports"/gids/*; do
	gid=$(cat "$file")
	case $gid in
	0000:0000:0000:0000:0000:ffff:*)
		index=${file##*/}
		hex=${gid#0000:0000:0000:0000:0000:ffff:}
		address=$((16#${hex:0:2})).$((16#${hex:2:2})).$((16#${hex:5:2})).$((16#${hex:7:2}))
		break
		;;
	esac
done
if [ -z "$index" ]; then
	echo "device-programs.sh: error: $device has no address of IPv4" >&2
	exit 1
fi

mkdir -p "$traces"
port=18600

# pair NAME PROGRAM ARGUMENT... -- SERVER'S -- CLIENT'S: both run the program with the arguments, each with its own behind them.
# PORT is another port for each pair, ADDRESS the device's.
pair() {
	local name=$1 common=() server=() client=() into=common server_pid status=0
	shift
	if ! type -P "$1" >/dev/null; then
		echo "$name ($1)" >>"$traces/skipped"
		return
	fi
	port=$((port + 1))
	while [ $# -gt 0 ]; do
		case $1 in
		--) if [ $into = common ]; then into=server; else into=client; fi ;;
		*)
			local argument=${1/PORT/$port}
			argument=${argument/ADDRESS/$address}
			case $into in
			common) common+=("$argument") ;;
			server) server+=("$argument") ;;
			client) client+=("$argument") ;;
			esac
			;;
		esac
		shift
	done
	echo "recording $name"
	timeout --kill-after=5 60 bin/ndkrecord run -o "$traces/$name-server.ndktrace.ctf" -- "${common[@]}" "${server[@]}" >"$traces/$name-server.log" 2>&1 &
	server_pid=$!
	sleep 2 # until it listens
	timeout --kill-after=5 60 bin/ndkrecord run -o "$traces/$name-client.ndktrace.ctf" -- "${common[@]}" "${client[@]}" >"$traces/$name-client.log" 2>&1 || status=$?
	wait "$server_pid" || status="$? (server), $status"
	if [ "$status" != 0 ]; then
		echo "$name" >>"$traces/failed"
		echo "  failed: $status"
		tail -n 3 "$traces/$name-server.log" "$traces/$name-client.log"
	fi
}

pingpong=(-d "$device" -g "$index" -p PORT -n 100)
perftest=(-d "$device" -x "$index" -p PORT -n 100 -F)
pair rc_pingpong ibv_rc_pingpong "${pingpong[@]}" -- -- 127.0.0.1
pair rc_pingpong_events ibv_rc_pingpong -e "${pingpong[@]}" -- -- 127.0.0.1
pair rc_pingpong_extended ibv_rc_pingpong -N "${pingpong[@]}" -- -- 127.0.0.1
pair uc_pingpong ibv_uc_pingpong "${pingpong[@]}" -- -- 127.0.0.1
pair ud_pingpong ibv_ud_pingpong "${pingpong[@]}" -- -- 127.0.0.1
pair srq_pingpong ibv_srq_pingpong -q 4 "${pingpong[@]}" -- -- 127.0.0.1
pair send_lat ib_send_lat -s 64 "${perftest[@]}" -- -- 127.0.0.1
pair send_bw ib_send_bw -s 4096 "${perftest[@]}" -- -- 127.0.0.1
pair send_bw_events ib_send_bw -e -s 4096 "${perftest[@]}" -- -- 127.0.0.1
pair write_bw ib_write_bw -s 4096 "${perftest[@]}" -- -- 127.0.0.1
pair send_lat_ud ib_send_lat -c UD -s 64 "${perftest[@]}" -- -- 127.0.0.1
pair send_bw_uc ib_send_bw -c UC -s 4096 "${perftest[@]}" -- -- 127.0.0.1
pair send_bw_both_ways ib_send_bw -b -s 4096 "${perftest[@]}" -- -- 127.0.0.1
pair send_bw_srq ib_send_bw --use-srq -s 4096 "${perftest[@]}" -- -- 127.0.0.1
pair write_lat ib_write_lat -s 64 "${perftest[@]}" -- -- 127.0.0.1
pair read_bw ib_read_bw -s 4096 "${perftest[@]}" -- -- 127.0.0.1
pair atomic_bw ib_atomic_bw "${perftest[@]}" -- -- 127.0.0.1
pair rstream rstream -p PORT -I 10 -C 10 -S 1024 -- -- -s ADDRESS
pair fi_pingpong fi_pingpong -p verbs -e msg -I 10 -S 1024 -- -B PORT -- -P PORT ADDRESS
pair rping rping -a ADDRESS -p PORT -C 20 -v -- -s -- -c

# single NAME PROGRAM ARGUMENT...: a program that is both ends.
single() {
	local name=$1
	shift
	echo "recording $name"
	timeout --kill-after=5 60 bin/ndkrecord run -o "$traces/$name.ndktrace.ctf" -- "$@" >"$traces/$name.log" 2>&1 || echo "$name" >>"$traces/failed"
}
single extended_one "$traces/extended" "$device" "$index" --one
single extended "$traces/extended" "$device" "$index"

# Tests of rdma-core's Python binding, as its package has them. Of test_cq the test of resizing is left out: it wants an error that Soft-RoCE does not give.
pyverbs=/usr/share/doc/rdma-core/tests
if [ -d "$pyverbs" ] && /usr/bin/python3 -c 'import pyverbs' 2>/dev/null; then
	cp -r "$pyverbs" "$traces/tests"
	find "$traces/tests" -name '*.gz' -exec gunzip -f {} +
	for test in test_cq.CQAPITest test_cq_events test_cqex test_qp test_mr; do
		single "pyverbs_${test%.*}" /usr/bin/python3 "$traces/tests/run_tests.py" --dev "$device" --gid "$index" -v "$test"
	done
else
	echo "pyverbs (python3-pyverbs)" >>"$traces/skipped"
fi
