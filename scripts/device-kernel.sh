#!/bin/bash
# The part of device.sh that records kernel code: device-kernel.sh DIRECTORY runs consumers of the kernel's verbs under ndkrecord attach --kernel, and leaves
# DIRECTORY/NAME.ndktrace.jsonl.zst and logs. The program is DIRECTORY/ndkrecord. What failed is named in DIRECTORY/failed. It is for the virtual machine of
# guest.sh alone: it loads modules, and removes the device.
set -euo pipefail
cd "$(dirname "$0")/.."
traces=$1
source scripts/device-record.sh

# refused WHAT STATUS WORDS COMMAND...: the command ends with the status, and says so.
refused() {
	local what=$1 want=$2 words=$3 status=0
	shift 3
	echo "checking $what"
	"$@" >"$traces/refused.log" 2>&1 || status=$?
	if [ "$status" != "$want" ] || ! grep -q "$words" "$traces/refused.log"; then
		echo "$what" >>"$traces/failed"
		echo "  status $status, not $want, or without \"$words\":"
		tail -n 5 "$traces/refused.log"
	fi
}

# nvme: a target and a host of NVMe over RDMA, here both, with writers and readers at once, until they part.
nvme() {
	local target=/sys/kernel/config/nvmet block i
	mkdir -p "$target/subsystems/store/namespaces/1" "$target/ports/1"
	echo 1 >"$target/subsystems/store/attr_allow_any_host"
	echo -n /dev/nullb0 >"$target/subsystems/store/namespaces/1/device_path"
	echo 1 >"$target/subsystems/store/namespaces/1/enable"
	(cd "$target/ports/1" && echo rdma >addr_trtype && echo ipv4 >addr_adrfam && echo 192.0.2.1 >addr_traddr && echo 4420 >addr_trsvcid)
	ln -s "$target/subsystems/store" "$target/ports/1/subsystems/store"
	echo transport=rdma,traddr=192.0.2.1,trsvcid=4420,nqn=store,nr_io_queues=2,hostnqn=here,hostid=12345678-1234-1234-1234-123456789012 >/dev/nvme-fabrics
	block=
	for ((i = 0; i < 100; i++)); do
		block=$(find /dev -maxdepth 1 -name 'nvme*n1' -type b)
		if [ -n "$block" ]; then break; fi
		sleep 0.1
	done
	for i in 1 2 3; do
		dd if=/dev/zero "of=$block" bs=64k count=100 oflag=direct seek=$((i * 200)) &
		dd "if=$block" of=/dev/null bs=16k count=100 iflag=direct skip=$((i * 900)) &
	done
	for i in $(jobs -p); do wait "$i"; done
	echo 1 >"$(find /sys/class/nvme/nvme*/ -maxdepth 1 -name delete_controller)"
	rm "$target/ports/1/subsystems/store"
	rmdir "$target/ports/1" "$target/subsystems/store/namespaces/1" "$target/subsystems/store"
}

# srp: a target and a host of SCSI over RDMA, which find each other by the device's own name.
srp() {
	local target=/sys/kernel/config/target id name group block='' i
	id=$(cut -d: -f5-8 /sys/class/infiniband/rxe0/ports/1/gids/0)
	name=$(sed 's/^0x//' /sys/module/ib_srpt/parameters/srpt_service_guid)
	mkdir -p "$target/core/rd_mcp_0/disk"
	echo rd_pages=16384 >"$target/core/rd_mcp_0/disk/control"
	echo 1 >"$target/core/rd_mcp_0/disk/enable"
	group=$target/srpt/$id/$id
	mkdir -p "$target/srpt/$id"
	mkdir "$group"
	mkdir "$group/lun/lun_0" "$group/acls/192.0.2.1"
	ln -s "$target/core/rd_mcp_0/disk" "$group/lun/lun_0/disk"
	mkdir "$group/acls/192.0.2.1/lun_0"
	ln -s "$group/lun/lun_0" "$group/acls/192.0.2.1/lun_0/disk"
	echo 5555 >"$target/srpt/discovery_auth/rdma_cm_port"
	echo 1 >"$group/enable"
	echo "id_ext=$name,ioc_guid=$name,dest=192.0.2.1:5555,max_cmd_per_lun=8,queue_size=32" >/sys/class/infiniband_srp/srp-rxe0-1/add_target
	for ((i = 0; i < 100; i++)); do
		block=$(find /dev -maxdepth 1 -name 'sd*' -type b | head -n 1)
		if [ -n "$block" ]; then break; fi
		sleep 0.1
	done
	for i in 1 2 3; do
		dd if=/dev/zero "of=$block" bs=64k count=60 oflag=direct seek=$((i * 60)) &
		dd "if=$block" of=/dev/null bs=16k count=60 iflag=direct &
	done
	for i in $(jobs -p); do wait "$i"; done
	echo 1 >"$(find /sys/class/srp_remote_ports/*/ -maxdepth 1 -name delete)"
}

# nfs: a server and a client of NFS over RDMA, with writers and readers at once, until the client unmounts. The server needs no daemon: what exportfs and
# mountd would tell it stands here.
nfs() {
	local rpc=/proc/net/rpc server=/proc/fs/nfsd ever=2147483647
	mkdir -p /mnt/store /mnt/nfs /var/lib/nfs/v4recovery
	mount -t tmpfs tmpfs /mnt/store
	mount -t nfsd nfsd "$server"
	# Version 4 alone: it needs neither rpcbind nor lockd.
	echo "-3 +4 +4.1 +4.2" >"$server/versions"
	echo "nfsd 192.0.2.1 $ever here" >"$rpc/auth.unix.ip/channel"
	# The options of exports(5): insecure, async, no_subtree_check and fsid=0, which makes it the root.
	echo "here /mnt/store $ever 0x2412 65534 65534 0" >"$rpc/nfsd.export/channel"
	printf '%s\n' "here 1 \x00000000 $ever /mnt/store" >"$rpc/nfsd.fh/channel"
	echo "rdma 20049" >"$server/portlist"
	echo 4 >"$server/threads"
	echo Y >"$server/v4_end_grace" # no client has anything to reclaim
	mount -i -t nfs4 -o vers=4.2,proto=rdma,port=20049,addr=192.0.2.1,clientaddr=192.0.2.1,sec=sys 192.0.2.1:/ /mnt/nfs
	write_and_read /mnt/nfs
	umount -i /mnt/nfs
	echo 0 >"$server/threads"
	umount "$server"
	umount /mnt/store
}

rds=(python3 internal/kernelrecord/testdata/rds.py)

# rds_removed: the device goes while RDS has a connection.
rds_removed() {
	"$@"
	sleep 1
	rdma link delete rxe0
	sleep 2
}

attach=("$traces/ndkrecord" attach --kernel -o /tmp/refused.ndktrace.jsonl)
refused "a user who may not" 1 'needs root' setpriv --reuid 65534 --regid 65534 --clear-groups "${attach[@]}" --duration 1s
refused "a command that fails" 1 'exit status 3' "${attach[@]}" -- sh -c 'exit 3'
# One signal: without --foreground a second one follows at once, to the group, and that ends ndkrecord where it stands.
refused "a command that is interrupted" 130 'interrupted' timeout --foreground --preserve-status --signal INT 5 "${attach[@]}" -- sleep 60
refused "a kernel without consumers" 1 'nothing was recorded' "${attach[@]}" --duration 1s

record nvme_parallel nvme
rmmod nvmet-rdma
insmod /modules/nvmet-rdma.ko use_srq=1
record nvme_srq nvme
rmmod nvmet-rdma
insmod /modules/nvmet-rdma.ko
record nfs_parallel nfs
one_processor
record nvme nvme
record srp srp
record nfs nfs
record_until TERM rds "${rds[@]}" 192.0.2.1 192.0.2.2 20
rest=700ms # RDS looks by itself after a second
record rds_removed rds_removed "${rds[@]}" 192.0.2.3 192.0.2.4 20
refused "a machine without a device" 1 'there is no RDMA device' "${attach[@]}"
