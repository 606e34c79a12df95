# shellcheck shell=bash
# How the scripts use apt: to be sourced after messages.sh.

export PATH=$PATH:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive

may_install() { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }

# apt_get ARGUMENT...: apt-get as root, asking nothing, waiting for another apt-get to end.
apt_get() {
	local as_root=()
	[ "$(id -u)" -eq 0 ] || as_root=(sudo -n env DEBIAN_FRONTEND=noninteractive)
	"${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# unpack PACKAGE DIRECTORY: downloads it, and unpacks it there. PACKAGE may end in =VERSION.
unpack() {
	local download=$2.download
	rm -rf "$download"
	mkdir -p "$2" "$download"
	(cd "$download" && apt-get -q -o APT::Sandbox::User=root download "$1" >apt.log 2>&1) || {
		cat "$download/apt.log" >&2
		rm -r "$download"
		die "apt-get could not download $1" "apt-get update"
	}
	dpkg -x "$download"/*.deb "$2"
	rm -r "$download"
}
