#!/bin/bash
# Brings a Debian 6.12 kernel with Soft-RoCE, and an initramfs that runs guest-init, to build/guest/linux-VERSION/.
# Nothing is installed: the packages are downloaded and unpacked there. Prints that directory.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
source "$scripts/messages.sh"
source "$scripts/apt.sh"
root=$(dirname "$scripts")/build/guest

meta=linux-image-6.12-amd64
# crc32_generic: rdma_rxe asks for it at run time ("crc32"), and no dependency names it.
modules="9pnet_virtio 9p overlay crc32_generic dummy rdma_rxe rdma_ucm"
# Kernel code that uses the verbs, and what it stores in. It is loaded where it is asked for: device-kernel.sh.
consumers="rds_rdma nvme_rdma nvmet_rdma null_blk ib_srpt ib_srp sd_mod rpcrdma nfsd nfsv4"
# What cifs and ksmbd need, which guest-smb.sh builds: they ask for the last four at run time.
consumers+=" netfs dns_resolver cifs_arc4 cifs_md4 nls_ucs2_utils cmac ccm gcm ghash_generic"

mkdir -p "$root"
exec 9>"$root/lock"
flock 9

# The newest kernel that apt offers; fails where apt knows none.
kernel_package() {
	apt-cache depends "$meta" 2>/dev/null | sed -n 's/^ *Depends: *\(linux-image-6\.12\..*-amd64\)$/\1/p' | grep .
}

# prepare PACKAGE DIRECTORY: the kernel, and what the initramfs holds besides guest-init.
prepare() {
	local version=${1#linux-image-} work=$2.new module file
	rm -rf "$2" "$work"
	say "downloading $1 and busybox-static"
	unpack "$1" "$work/package"
	unpack busybox-static "$work/busybox"

	mkdir -p "$work/initramfs"/{bin,modules,proc,sys,dev,run,root}
	cp "$work/package/boot/vmlinuz-$version" "$work/vmlinuz"
	cp "$work/busybox/bin/busybox" "$work/initramfs/bin/"
	depmod -b "$work/package" "$version"
	for module in $modules $consumers; do
		modprobe -d "$work/package" -S "$version" --show-depends "$module" ||
			die "kernel $version has no module $module" "apt-get update"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$work/needed"
	while read -r file; do
		module=$(basename "${file%.xz}")
		case $file in
		*.xz) "$work/busybox/bin/busybox" xzcat "$file" >"$work/initramfs/modules/$module" ;;
		*) cp "$file" "$work/initramfs/modules/" ;;
		esac
		echo "$module" >>"$work/initramfs/modules/all"
	done <"$work/needed"
	for module in $modules; do
		modprobe -d "$work/package" -S "$version" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { sub(".*/", "", $2); sub("\\.xz$", "", $2); print $2 }' >"$work/initramfs/modules/order"
	rm -r "$work/package" "$work/busybox" "$work/needed"
	echo "$modules $consumers" >"$work/wanted"
	mv "$work" "$2"
}

for tool in apt-get dpkg depmod modprobe flock; do
	type -P "$tool" >/dev/null || die "$tool is missing" "$scripts/install.sh"
done
if package=$(kernel_package); then
	directory=$root/linux-${package#linux-image-}
else
	directory=$(find "$root" -maxdepth 1 -name 'linux-6.12.*-amd64' | sort -V | tail -n 1)
fi
if [ -z "$directory" ]; then
	may_install || die "apt offers no $meta, the kernel that the guest boots" "sudo apt-get update"
	say "updating apt's lists, which have no $meta"
	apt_get update >"$root/apt.log" 2>&1 || tail -n 5 "$root/apt.log" >&2
	package=$(kernel_package) ||
		die "apt offers no $meta, the kernel that the guest boots; Debian 12 has it in its security archive"
	directory=$root/linux-${package#linux-image-}
fi
# One that an earlier version of this script made has other modules.
[ "$(cat "$directory/wanted" 2>/dev/null)" = "$modules $consumers" ] || prepare "${package:-linux-image-${directory##*/linux-}}" "$directory"

if ! cmp -s "$scripts/guest-init" "$directory/initramfs/init"; then
	cp "$scripts/guest-init" "$directory/initramfs/init"
	chmod 755 "$directory/initramfs/init"
	rm -f "$directory/initramfs.cpio"
fi
if [ ! -e "$directory/initramfs.cpio" ]; then
	(cd "$directory/initramfs" && find . | bin/busybox cpio -o -H newc 2>/dev/null) >"$directory/initramfs.cpio.new"
	mv "$directory/initramfs.cpio.new" "$directory/initramfs.cpio"
fi
echo "$directory"
