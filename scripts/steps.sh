# shellcheck shell=bash
# Steps of a long run, told as they go: to be sourced after messages.sh.

failed=()

# step NAME COMMAND...: runs it, and remembers the name when it fails.
step() {
	local name=$1 from=$SECONDS
	shift
	printf '\n== %s (at %d s)\n' "$name" "$SECONDS"
	if "$@"; then
		printf -- '-- %s: done in %d s\n' "$name" $((SECONDS - from))
	else
		printf -- '-- %s: FAILED after %d s\n' "$name" $((SECONDS - from))
		failed+=("$name")
	fi
}
