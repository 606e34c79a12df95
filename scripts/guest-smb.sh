#!/bin/bash
# Builds SMB Direct for the guest's kernel, into build/guest/linux-VERSION/smb/. Debian builds that kernel's cifs and ksmbd without it. The source is fs/smb of
# Debian's linux-source, unmodified; only the two options differ. ksmbd-tools, the server's daemon, lies beside the modules. Nothing is installed: 170 MB of
# packages are downloaded and unpacked there, and the source is removed again. It needs gcc-12, and takes some minutes. Prints that directory.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
source "$scripts/messages.sh"
source "$scripts/apt.sh"

kernel=$("$scripts/guest-kernel.sh")
version=${kernel##*/linux-} # 6.12.117+deb12-amd64
result=$kernel/smb
work=$result.new
exec 9>"$kernel/lock"
flock 9
if [ -e "$result/done" ]; then
	echo "$result"
	exit
fi

for tool in make gcc strip tar; do
	type -P "$tool" >/dev/null || die "$tool is missing" "$scripts/install.sh"
done
type -P x86_64-linux-gnu-gcc-12 >/dev/null ||
	die "x86_64-linux-gnu-gcc-12 is missing, with which Debian built the guest's kernel" "apt-get install gcc-12"

# release: the version of Debian's packages of that kernel; nothing where apt does not know it.
release() { apt-cache show --no-all-versions "linux-headers-$version" 2>/dev/null | sed -n 's/^Version: //p'; }
release=$(release)
if [ -z "$release" ]; then
	may_install || die "apt does not know linux-headers-$version" "sudo apt-get update"
	say "updating apt's lists, which have no linux-headers-$version"
	apt_get update >"$kernel/apt.log" 2>&1 || tail -n 5 "$kernel/apt.log" >&2
	release=$(release)
	[ -n "$release" ] || die "apt offers no headers of the guest's kernel, $version; it may have a newer kernel" "rm -r $kernel"
fi

rm -rf "$result" "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
say "downloading the headers and the source of Linux $version, and ksmbd-tools"
common=${version%-*}
for package in "linux-headers-$version" "linux-headers-$common-common" "linux-kbuild-$common"; do unpack "$package=$release" "$work/headers"; done
unpack "linux-source-6.12=$release" "$work/package"
for package in ksmbd-tools libnl-3-200 libnl-genl-3-200; do unpack "$package" "$work/tools"; done

headers=$work/headers/usr/src/linux-headers-$version
source=$work/linux-source-6.12
"$kernel/initramfs/bin/busybox" xzcat "$work/package/usr/src/linux-source-6.12.tar.xz" |
	tar -C "$work" -x linux-source-6.12/{fs/smb,fs/nls,scripts/asn1_compiler.c,include/linux/asn1.h,include/linux/asn1_ber_bytecode.h}
# The headers look for each other in /usr/src, where they would be installed; and they lack one program.
sed -i "s|/usr/src|$work/headers/usr/src|" "$headers/Makefile"
gcc -O2 -I "$source/include" -o "$headers/scripts/asn1_compiler" "$source/scripts/asn1_compiler.c"

# The Makefiles read the options as variables, the code as macros: Debian's autoconf.h lacks them. The modules get no BTF: pahole would have to be there, and the
# recorder needs BTF only of modules with completion handlers of their own.
say "building cifs and ksmbd with SMB Direct"
env -u MAKEFLAGS make -s -j "$(nproc)" -C "$headers" M="$source/fs/smb" CONFIG_DEBUG_INFO_BTF_MODULES= \
	CONFIG_CIFS_SMB_DIRECT=y CONFIG_SMB_SERVER_SMBDIRECT=y KCFLAGS="-DCONFIG_CIFS_SMB_DIRECT=1 -DCONFIG_SMB_SERVER_SMBDIRECT=1" \
	modules >"$kernel/smb.log" 2>&1 || {
	tail -n 20 "$kernel/smb.log" >&2
	die "cifs and ksmbd could not be built; $kernel/smb.log has all that make wrote"
}
for module in client/cifs server/ksmbd; do strip --strip-debug -o "$work/${module#*/}.ko" "$source/fs/smb/$module.ko"; done
rm -r "$work/headers" "$work/package" "$source"
touch "$work/done"
mv "$work" "$result"
echo "$result"
