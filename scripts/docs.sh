#!/bin/bash
# Builds the site of docs/ into build/site, with the pinned versions of scripts/docs-requirements.txt in a virtual environment of its own. A link that
# leads nowhere is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh
venv=build/docs-venv pinned=scripts/docs-requirements.txt
if ! cmp -s "$pinned" "$venv/pinned"; then
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$pinned"
	cp "$pinned" "$venv/pinned"
fi
# Mermaid draws the diagrams; a page that has one asks no other host for it. The pages name it by its place in the site (scripts/docs_hook.py).
mermaid=11.17.2 sum=581ed7d74bd9048d0e3a91363927d72ef22942d7722546b27f7cc29e35390eb8
export NDK_MERMAID=$PWD/build/mermaid-$mermaid.min.js
if ! echo "$sum  $NDK_MERMAID" | sha256sum --check --status 2>/dev/null; then
	type -P npm >/dev/null || die "npm is missing; the diagrams of the site need the package mermaid" "apt-get install --no-install-recommends npm"
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	(cd "$folder" && npm pack --silent "mermaid@$mermaid" >/dev/null && tar -xzf mermaid-*.tgz package/dist/mermaid.min.js)
	echo "$sum  $folder/package/dist/mermaid.min.js" | sha256sum --check --quiet
	mv "$folder/package/dist/mermaid.min.js" "$NDK_MERMAID"
fi
# --quiet would hide the warnings from --strict as well.
if ! NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict >build/docs.log 2>&1; then
	grep -E '^(WARNING|ERROR|Aborted)|Error' build/docs.log >&2 || cat build/docs.log >&2
	exit 1
fi
go test -count=1 -tags=site -run '^TestSiteDraws' ./internal/documents # in headless Chromium
echo "build/site/index.html"
