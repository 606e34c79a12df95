#!/bin/bash
# preload.sh DIRECTORY: builds what ndkrecord run needs, ndkrecord-preload.so and ndkrecord-worker, into DIRECTORY. CC is the compiler.
set -euo pipefail
to=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
flags=(-std=gnu11 -O2 -g -Wall -Wextra -Werror -pthread -I c)
library=()
for file in preload/*.c; do
	if [ "$file" != preload/worker.c ]; then library+=("$file"); fi
done
# It stays loaded: tables of the program point into it. What programs may call of it is in exports.map.
"${CC:-gcc}" "${flags[@]}" -fPIC -fvisibility=hidden -shared -Wl,--version-script=preload/exports.map -Wl,-z,nodelete -Wl,-z,defs \
	-o "$to/ndkrecord-preload.so.new" "${library[@]}" -ldl
"${CC:-gcc}" "${flags[@]}" -o "$to/ndkrecord-worker.new" preload/worker.c
# Programs that run on keep the files that they have.
mv "$to/ndkrecord-preload.so.new" "$to/ndkrecord-preload.so"
mv "$to/ndkrecord-worker.new" "$to/ndkrecord-worker"
