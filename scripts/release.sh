#!/bin/bash
# Builds the release into build/release: an archive of each target, a Debian package, and SHA256SUMS. The same commit gives the same files. No network is needed
# once Go's modules are in its cache, those of scripts/nfpm among them. NDK_DOCUMENTS is the address below which docs/ is published, for links in SARIF.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

targets=(linux/amd64 linux/arm64 linux/ppc64le linux/s390x windows/amd64 darwin/amd64 darwin/arm64)
VERSION=$(sed -n 's/^const Number = "\(.*\)"$/\1/p' internal/release/release.go)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export VERSION SOURCE_DATE_EPOCH
out=build/release
rm -rf "$out"
mkdir -p "$out"

# What has no target: manual pages and completions, by programs for this machine.
mkdir -p "$out/common/man" "$out/common/completion"
for program in tracecheck ndkrecord; do
	CGO_ENABLED=0 go build -trimpath -o "$out/common/$program" "./cmd/$program"
	"$out/common/$program" man "$out/common/man"
	for shell in bash zsh fish powershell; do
		"$out/common/$program" completion "$shell" >"$out/common/completion/$program.$shell"
	done
done
preloads= # what ndkrecord run preloads is C, and so for this machine only
if [ "$(uname -s)" = Linux ] && type -P "${CC:-gcc}" >/dev/null; then
	preloads=linux/$(go env GOHOSTARCH)
	scripts/preload.sh "$out/common/preload"
fi

# build TARGET FOLDER
build() {
	local entry="" documents=${NDK_DOCUMENTS:+ -X main.documents=$NDK_DOCUMENTS}
	case $1 in linux/amd64 | linux/arm64) entry=' -E=ndkoracle/internal/stdio.entry' ;; esac # tracecheck begins there, as the Makefile has it
	GOOS=${1%/*} GOARCH=${1#*/} CGO_ENABLED=0 go build -trimpath -ldflags "-s -w$entry$documents" -o "$2/" ./cmd/tracecheck
	GOOS=${1%/*} GOARCH=${1#*/} CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$2/" ./cmd/ndkrecord
	if [ "$1" = "$preloads" ]; then cp "$out/common/preload/"* "$2/"; fi
}

for target in "${targets[@]}"; do
	name=ndkoracle-$VERSION-${target/\//-}
	folder=$out/$name
	build "$target" "$folder"
	cp LICENSE NOTICE THIRD-PARTY.md CHANGELOG.md README.md "$folder/"
	cp -r "$out/common/man" "$out/common/completion" docs c/example "$folder/"
	mkdir -p "$folder/include"
	cp c/*.h "$folder/include/"
	find "$folder" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
	case $target in
	windows/*) (cd "$out" && TZ=UTC python3 -m zipfile -c "$name.zip" "$name") ;;
	*) tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner -c "$name" | gzip -9n >"$out/$name.tar.gz" ;;
	esac
	say "$name"
done

if [ "$preloads" = linux/amd64 ]; then
	deb=$out/deb from=$out/ndkoracle-$VERSION-linux-amd64
	mkdir -p "$deb"/usr/{bin,lib/ndkoracle,include/ndkoracle,share/{man/man1,doc/ndkoracle,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}}
	cp "$from/tracecheck" "$deb/usr/bin/"
	cp "$from"/ndkrecord* "$deb/usr/lib/ndkoracle/"
	cp "$from"/include/* "$deb/usr/include/ndkoracle/"
	cp "$from"/man/* "$deb/usr/share/man/man1/"
	gzip -9n "$deb"/usr/share/man/man1/*
	for program in tracecheck ndkrecord; do
		cp "$from/completion/$program.bash" "$deb/usr/share/bash-completion/completions/$program"
		cp "$from/completion/$program.zsh" "$deb/usr/share/zsh/vendor-completions/_$program"
		cp "$from/completion/$program.fish" "$deb/usr/share/fish/vendor_completions.d/"
	done
	cp NOTICE THIRD-PARTY.md CHANGELOG.md "$deb/usr/share/doc/ndkoracle/"
	cp LICENSE "$deb/usr/share/doc/ndkoracle/copyright"
	find "$deb" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
	nfpm=$PWD/$out/common/nfpm
	(cd scripts/nfpm && go build -o "$nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm)
	"$nfpm" package --config scripts/nfpm/nfpm.yaml --packager deb --target "$out/" >&2
else
	say "no Debian package: it needs a C compiler on Linux, amd64"
fi

(cd "$out" && sha256sum -- *.tar.gz *.zip *.deb 2>/dev/null >SHA256SUMS) || true
cat "$out/SHA256SUMS"
