#!/bin/bash
# Builds the site of docs/ into build/site, with the pinned versions of scripts/docs-requirements.txt in a virtual environment of its own. A link that
# leads nowhere is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/docs-venv pinned=scripts/docs-requirements.txt
if ! cmp -s "$pinned" "$venv/pinned"; then
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$pinned"
	cp "$pinned" "$venv/pinned"
fi
# --quiet would hide the warnings from --strict as well.
if ! NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict >build/docs.log 2>&1; then
	grep -E '^(WARNING|ERROR|Aborted)|Error' build/docs.log >&2 || cat build/docs.log >&2
	exit 1
fi
echo "build/site/index.html"
