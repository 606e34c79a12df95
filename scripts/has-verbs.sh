#!/bin/sh
# Succeeds when the verbs provider can be built here: cgo is on, and C finds libibverbs and its headers.
[ "$(go env CGO_ENABLED)" = 1 ] || exit 1
printf '#include <infiniband/verbs.h>\nint main(void) { return !ibv_get_device_list; }\n' |
	$(go env CC) -x c -o /dev/null - -libverbs 2>/dev/null
