#!/bin/bash
# Runs what scripts/release.sh built: each tracecheck says its version, and judges the corpus as the one of linux/amd64 does, which judges it with the verdicts
# that `go test ./conformance` holds. Each archive must have the manual pages and the completions of both programs. Windows runs under wine, other processors under
# qemu. That a target can't be run here fails the check, but for macOS, whose archives are only unpacked. SHA256SUMS must be that of the archives.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
out=build/release/check
rm -rf "$out"
mkdir -p "$out"
corpus=(traces/accept traces/reject traces/inconclusive traces/malformed traces/use)
failed=0
declare -A packages=([wine]=wine [qemu-aarch64-static]=qemu-user-static [qemu-ppc64le-static]=qemu-user-static [qemu-s390x-static]=qemu-user-static)

# judge NAME COMMAND...: prints the verdict and rules of each trace of the corpus, with the slashes of this machine.
judge() {
	local name=$1 version
	shift
	version=$("$@" version | tr -d '\r') || version="failed with $?"
	"$@" --format table --fail-on none "${corpus[@]}" 2>"$out/$name.err" | tr -d '\r' | tr '\134' / | tr -s ' ' >"$out/$name" || true
	if ! [ -s "$out/$name" ]; then
		say "$name: no verdicts: $(tail -1 "$out/$name.err")"
		failed=1
	elif [ "$name" != "$reference" ] && ! cmp -s "$out/$name" "$out/$reference"; then
		say "$name: other verdicts than $reference: diff $out/$name $out/$reference"
		failed=1
	else
		printf '%s: %s; %d traces judged\n' "$name" "$version" "$(grep -c '^traces/' "$out/$name")"
	fi
}

# wine_ready makes a Windows of its own. Go asks bcryptprimitives.dll for random numbers, which wine has since 8.16 only: an older one gets such a library.
wine_ready() {
	export WINEPREFIX=$PWD/$out/wine WINEDEBUG=-all
	wineboot --init >"$out/wineboot.log" 2>&1 || return 1
	local system=$WINEPREFIX/drive_c/windows/system32
	if ! [ -e "$system/bcryptprimitives.dll" ]; then
		printf '%s\n' '#include <windows.h>' 'BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);' \
			'__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T n) { return SystemFunction036(to, (ULONG)n); }' |
			x86_64-w64-mingw32-gcc -shared -x c -o "$system/bcryptprimitives.dll" - -ladvapi32
	fi
}

(cd build/release && sha256sum --quiet -c SHA256SUMS) || failed=1
reference=
for archive in build/release/*-linux-amd64.tar.gz build/release/*.deb build/release/*-windows-amd64.zip build/release/*-linux-{arm64,ppc64le,s390x}.tar.gz build/release/*-darwin-*.tar.gz; do
	[ -f "$archive" ] || die "$archive is not there" "make release"
	name=${archive##*/} to=$out/${archive##*/}.d runner=()
	mkdir -p "$to"
	case $archive in
	*.deb) dpkg-deb -x "$archive" "$to" ;;
	*.zip) python3 -m zipfile -e "$archive" "$to" ;;
	*) tar -C "$to" -xzf "$archive" ;;
	esac
	for documented in tracecheck ndkrecord; do
		if [ -z "$(find "$to" -name "$documented.1*" -size +0)" ] || [ -z "$(find "$to" -path '*completion*' -name "*$documented*" -size +0)" ]; then
			say "$name: without the manual page or the completion of $documented"
			failed=1
		fi
	done
	if [ -z "$(find "$to" -path '*/include/*' -name ndktrace.h)" ]; then
		say "$name: without include/, which has the headers of the recorder"
		failed=1
	fi
	program=$(find "$to" -type f \( -name tracecheck -o -name tracecheck.exe \) -size +1M)
	case $archive in
	*windows*) runner=(wine) ;;
	*linux-arm64.tar.gz) runner=(qemu-aarch64-static) ;;
	*linux-ppc64le.tar.gz) runner=(qemu-ppc64le-static) ;;
	*linux-s390x.tar.gz) runner=(qemu-s390x-static) ;;
	esac
	case $archive in *darwin*)
		say "$name: not run, as this machine is not a Mac; it has a program: $(head -c 4 "$program" | od -An -tx1 | tr -d ' \n')"
		continue
		;;
	esac
	chmod +x "$program"
	if [ "${#runner[@]}" -gt 0 ] && ! type -P "${runner[-1]}" >/dev/null; then
		say "$name: not run, as there is no ${runner[-1]}: install ${packages[${runner[-1]}]}"
		failed=1
		continue
	fi
	if [ "${runner[*]}" = wine ] && ! wine_ready; then
		say "$name: not run, as wine does not start: $out/wineboot.log"
		failed=1
		continue
	fi
	: "${reference:=$name}"
	judge "$name" "${runner[@]}" "$program"
done
exit "$failed"
