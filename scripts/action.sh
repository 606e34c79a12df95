#!/usr/bin/env bash
# What action.yml runs: builds tracecheck, and judges the traces of a workflow. Its inputs are variables of the environment: TRACES and FLAGS, one a line;
# FAIL_ON, BASELINE, SARIF and DOCS. Standard output annotates the workflow, and the table of verdicts goes into its summary.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/tracecheck.XXXXXX")
trap 'rm -rf "$work"' EXIT

documents=
if [ -n "${ACTION_REPOSITORY:-}" ] && [ -n "${ACTION_REF:-}" ]; then
	documents="-X main.documents=${GITHUB_SERVER_URL:-https://github.com}/$ACTION_REPOSITORY/blob/$ACTION_REF/docs/"
fi
tracecheck=$work/tracecheck$(go env GOEXE)
(cd "$root" && CGO_ENABLED=0 go build -ldflags "$documents" -o "$tracecheck" ./cmd/tracecheck)

arguments=(--format github --format "sarif=$SARIF" --format "table=$work/table" --fail-on "$FAIL_ON")
if [ -n "$BASELINE" ]; then
	arguments+=(--baseline "$BASELINE")
fi
if [ -n "$DOCS" ]; then
	arguments+=(--docs "$DOCS")
fi
while IFS= read -r flag; do
	[ -z "$flag" ] || arguments+=("$flag")
done <<<"$FLAGS"
arguments+=(--)
while IFS= read -r trace; do
	[ -z "$trace" ] || arguments+=("$trace")
done <<<"$TRACES"

code=0
"$tracecheck" "${arguments[@]}" || code=$?
if [ "$code" -eq 2 ]; then SARIF=; fi # a mistake in the inputs: nothing was written

if [ -n "${GITHUB_OUTPUT:-}" ]; then
	printf 'exit=%d\nsarif=%s\n' "$code" "$SARIF" >>"$GITHUB_OUTPUT"
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$work/table" ]; then
	# Behind four blanks a line is text, whatever is in it.
	printf '### tracecheck\n\n%s\n' "$(sed 's/^/    /' "$work/table")" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
