#!/bin/bash
# judge.sh [reference] [device] [programs] [kernel]: judges the recordings in build/, and ends with a table: trace, events, verdict, rule, and
# what was expected. Fails when a verdict is another. Of the verbs of a device other than Soft-RoCE nothing is expected.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/messages.sh

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

# judge MUST MAY NOTE ARGUMENT...: runs tracecheck, and adds a row a trace. The rule MUST has to be broken, those in MAY
# may be, and no other; MAY may be "anything", or "inconclusive" where that may be as well.
judge() {
	local must=$1 may=$2 note=$3 expected=conformant table status=0
	shift 3
	if [ -n "$may" ]; then expected="conformant, or breaks $may"; fi
	if [ -n "$must" ]; then expected="breaks $must${may:+, perhaps $may}"; fi
	if [ "$may" = anything ]; then expected=anything; fi
	if [ "$may" = inconclusive ]; then expected="conformant, or inconclusive"; fi
	table=$(bin/tracecheck --format table "$@") || status=$?
	# Otherwise tracecheck itself failed, and there is no table.
	case $status in 0 | 1 | 3 | 4) ;; *) die "tracecheck ended with status $status" ;; esac
	awk -F '  +' -v OFS='\t' -v note="$note" -v must="$must" -v may="$may" -v expected="$expected" '
		# as_expected compares the broken rules with those that must and may be.
		function as_expected(verdict, broken, rules, n, i, seen) {
			if (may == "anything") return verdict == "conformant" || verdict ~ / violation$/
			if (may == "inconclusive" && verdict == may) return 1
			if (verdict == "conformant") return must == ""
			if (verdict != "provider violation") return 0
			n = split(broken, rules, /, /)
			for (i = 1; i <= n; i++) {
				if (index(must " " may, rules[i]) == 0) return 0
				seen += rules[i] == must
			}
			return must == "" || seen
		}
		$0 == "" { exit } # warnings follow
		NR > 1 { print $1 note, $2, $3, $4, expected, (as_expected($3, $4) ? "" : "UNEXPECTED") }
	' <<<"$table" >>"$rows"
}

what=${*:-reference device programs kernel}
if [[ " $what " = *" reference "* ]]; then
	judge "" "" "" build/reference/*.ndktrace.jsonl
fi
if [[ " $what " = *" device "* ]]; then
	ndk=() verbs=()
	for file in build/device/*.ndktrace.jsonl; do
		case $file in
		*/solicited-errors.verbs.* | */failed-requests.verbs.*) ;;
		*.verbs.*) verbs+=("$file") ;;
		*) ndk+=("$file") ;;
		esac
	done
	# The provider mends what the device does: its own boundary keeps the contract.
	judge "" "" "" "${ndk[@]}"
	# Soft-RoCE gives no event for a failed completion on a CQ armed solicited-only (ARM-11), and it tells a request that broke
	# its queue pair as flushed (RES-11). Where a receive of that queue pair is polled before it is moved into its error state, nothing had
	# flushed the receive either (RES-10).
	errors=build/device/solicited-errors.verbs.ndktrace.jsonl
	failed=build/device/failed-requests.verbs.ndktrace.jsonl
	if head -n 1 "$errors" | grep -q '"driver":"rdma_rxe"'; then
		judge "ARM-11" "RES-11, RES-10" "" "$errors"
		judge "RES-11" "ARM-11, RES-10" "" "$failed"
		judge "" "ARM-11, RES-11, RES-10" "" "${verbs[@]}"
	else
		judge "" "anything" "" "$errors" "$failed" "${verbs[@]}"
	fi
	# What libibverbs may do at an arm that finds completions, NDKPI forbids.
	judge "ARM-04" "" " as ndkpi" --dialect ndkpi build/device/arm-present.verbs.ndktrace.jsonl
fi
if [[ " $what " = *" programs "* ]]; then
	programs=() extended=
	for file in build/device/programs/*.ndktrace.ctf; do
		[ -e "$file" ] || continue
		case $file in
		*/extended.*) extended=$file ;;
		*) programs+=("$file") ;;
		esac
	done
	if [ "${#programs[@]}" -gt 0 ]; then judge "" "" "" "${programs[@]}"; fi
	# Where ibv_next_poll has found no more, Soft-RoCE's ibv_end_poll passes by one completion that was never there: the next polls show
	# what lies in the queue's memory, of no request (POLL-05), and then all completions again (POLL-04).
	if [ -n "$extended" ]; then
		if grep -aq '"driver":"rdma_rxe"' "$extended"; then
			judge "POLL-05" "POLL-04" "" "$extended"
		else
			judge "" "" "" "$extended"
		fi
	fi
fi
if [[ " $what " = *" kernel "* ]]; then
	for file in build/device/kernel/*.ndktrace.jsonl.zst; do
		[ -e "$file" ] || continue
		case $file in
		# RDS arms its receive CQ solicited. Where the device goes, Soft-RoCE flushes the receives and calls no handler.
		*/rds_removed.*) judge "ARM-11" "" "" "$file" ;;
		# Of two posts at once it is not followed which came first, if they send messages. Of two polls at once that both return receives of a shared
		# queue, the order is not known.
		*/nvme_srq.* | */*_parallel.*) judge "" "inconclusive" "" "$file" ;;
		*) judge "" "" "" "$file" ;;
		esac
	done
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
