#!/bin/bash
# The part of device.sh that records SMB Direct: device-smb.sh DIRECTORY SMB runs a server and a client, ksmbd and cifs, under ndkrecord attach --kernel.
# SMB is the folder that guest-smb.sh made. Like device-kernel.sh it is for the virtual machine alone, and leaves the same files.
set -euo pipefail
cd "$(dirname "$0")/.."
traces=$1 smb=$2
source scripts/device-record.sh

export smb LD_LIBRARY_PATH=$smb/tools/usr/lib/x86_64-linux-gnu:$smb/tools/lib/x86_64-linux-gnu
mkdir -p /mnt/store /mnt/smb
mount -t tmpfs -o mode=777 tmpfs /mnt/store
# ksmbd looks for the path from the root of the machine's first process: see guest-init.
cat >/run/ksmbd.conf <<-END
	[global]
	netbios name = store
	[store]
	path = /root/all/mnt/store
	read only = no
END
touch /run/ksmbd.users
"$smb/tools/usr/sbin/ksmbd.adduser" --add-user=writer --password=secret --import-users=/run/ksmbd.users >"$traces/ksmbd.log" 2>&1
insmod "$smb/cifs.ko"
insmod "$smb/ksmbd.ko"

# smb_direct: a server and a client, with writers and readers at once, until the client unmounts and the server ends.
smb_direct() {
	local i
	"$smb/tools/usr/sbin/ksmbd.mountd" --config=/run/ksmbd.conf --users=/run/ksmbd.users
	for ((i = 0; i < 100; i++)); do
		if grep -q running /sys/class/ksmbd-control/stats; then break; fi
		sleep 0.1
	done
	mount -i -t cifs -o ip=192.0.2.1,rdma,vers=3.1.1,username=writer,password=secret,cache=none //192.0.2.1/store /mnt/smb
	write_and_read /mnt/smb
	umount /mnt/smb
	"$smb/tools/usr/sbin/ksmbd.control" --shutdown
}

record smb_parallel smb_direct
rmmod ksmbd
insmod "$smb/ksmbd.ko"
one_processor
record smb smb_direct
