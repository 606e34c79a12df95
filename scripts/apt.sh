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
