#!/bin/bash
# judge.sh [reference] [device]: judges the recordings in build/, and ends with a table: trace, events, verdict, rule, and
# what was expected. Fails when a verdict is another. Of the verbs of a device other than Soft-RoCE nothing is expected.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

# judge EXPECTED NOTE ARGUMENT...: runs tracecheck, and adds a row a trace. EXPECTED holds the answers that are right, each
# a verdict with its rule, with "or" between them; or "anything".
judge() {
	local expected=$1 note=$2 table status=0
	shift 2
	table=$(bin/tracecheck --format table "$@") || status=$?
	# 2 and 5 and what is above: tracecheck itself failed, and there is no table.
	case $status in 0 | 1 | 3 | 4) ;; *) die "tracecheck ended with status $status" ;; esac
	awk -F '  +' -v OFS='\t' -v note="$note" -v expected="$expected" 'NR > 1 {
		answer = $3 ($4 == "-" ? "" : " " $4)
		right = expected == "anything"
		count = split(expected, answers, " or ")
		for (i = 1; i <= count; i++) right = right || answer == answers[i]
		print $1 note, $2, $3, $4, expected, (right ? "" : "UNEXPECTED")
	}' <<<"$table" >>"$rows"
}

what=${*:-reference device}
if [[ " $what " = *" reference "* ]]; then
	judge "conformant" "" build/reference/*.ndktrace.jsonl
fi
if [[ " $what " = *" device "* ]]; then
	ndk=() verbs=()
	for file in build/device/*.ndktrace.jsonl; do
		case $file in
		*/solicited-errors.verbs.*) ;;
		*.verbs.*) verbs+=("$file") ;;
		*) ndk+=("$file") ;;
		esac
	done
	# The provider mends what the device does: its own boundary keeps the contract.
	judge "conformant" "" "${ndk[@]}"
	# Soft-RoCE gives no event for a failed completion on a CQ armed solicited-only.
	fault="provider violation ARM-11" others="conformant or provider violation ARM-11"
	if ! head -n 1 build/device/solicited-errors.verbs.ndktrace.jsonl | grep -q '"rxe'; then fault=anything others=anything; fi
	judge "$fault" "" build/device/solicited-errors.verbs.ndktrace.jsonl
	judge "$others" "" "${verbs[@]}"
	# What libibverbs may do at an arm that finds completions, NDKPI forbids.
	judge "provider violation ARM-04" " as ndkpi" --dialect ndkpi build/device/arm-present.verbs.ndktrace.jsonl
fi

awk -F '\t' '
	function row(i, j) {
		for (j = 1; j <= 5; j++) printf(j == 2 ? "%*s  " : "%-*s  ", width[j], cell[i, j])
		print cell[i, 6]
	}
	BEGIN { split("trace events verdict rule expected", head, " "); for (j = 1; j <= 5; j++) cell[0, j] = head[j] }
	{ for (j = 1; j <= NF; j++) cell[NR, j] = $j; unexpected += $6 != "" }
	END {
		for (i = 0; i <= NR; i++) for (j = 1; j <= 5; j++) if (length(cell[i, j]) > width[j]) width[j] = length(cell[i, j])
		for (i = 0; i <= NR; i++) row(i)
		if (NR == 0) { print "no trace was judged"; exit 1 }
		if (unexpected) { print unexpected " of " NR " verdicts are not the expected one"; exit 1 }
	}
' "$rows"
