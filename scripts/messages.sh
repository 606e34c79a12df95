# shellcheck shell=bash
# How the scripts speak: to be sourced, after `set -euo pipefail`.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# die WHAT_AND_WHY [COMMAND_THAT_HELPS]
die() {
	say "error: $1"
	if [ $# -gt 1 ]; then say "this would help: $2"; fi
	exit "${DIE_STATUS:-1}"
}
