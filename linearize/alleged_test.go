package linearize_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
)

// alleged pairs what the message of a violation says with what the text of the rule that it cites has to say.
var alleged = []struct{ message, rule string }{
	{`no callback is owed|no event is owed|none can be|no arm is outstanding`, `armed?\b|arm is|An? \w+ arm|new to report`},
	{`is owed and (was not entered|did not come)|was not reported to its arm`, `\b(arm|armed) is satisfied|leads to a callback|satisfies it|second NdkArmCq|a notification is generated|the callback comes when|preserves threshold and arm`},
	{`was entered, and the callback entered before|one callback can't|none can follow it`, `At most one callback`},
	{`the CQ has failed, and nothing is placed|was reported before, and one callback`, `STATUS_BUFFER_OVERFLOW or STATUS_INTERNAL_ERROR nothing placed later`},
	{`accounted for`, `accounted for`},
	{`had not sent its message yet`, `had sent before`},
	{`its completion was placed with`, `the status with which it was placed`},
	{`no request of that name`, `posted successfully`},
	{`which completes into|and it completes into|names \w+, and it was posted on`, `bound to this CQ|QPContext`},
	{`a second time$`, `at most once|exactly one|at most once for|once`},
	{`the token was invalid already|had invalidated the token`, `invalid`},
	{`the peer named was not valid|for a bad token|a bad token had ended|named token`, `not valid`},
	{`ended the connection by the token`, `nothing succeeds on that connection any more`},
	{`nothing cancelled it`, `cancelled only after something|no completion|produces a completion`},
	{`nothing flushed it`, `its own error`},
	{`cancelled \w+ before it could have another outcome`, `no other outcome`},
	{`posted before it on the same queue`, `order of posting|produces a completion`},
	{`a silent request.* can only have failed`, `that fails produces a completion`},
	{`had not completed`, `in the end|stronger of the two types|completed|completes|completion|indicated|is called only after|an MR that is registered`},
	{`the QP is not connected|was refused with STATUS_CONNECTION_INVALID`, `not connected`},
	{`after NdkDisconnect of \w+ had completed, and succeeded`, `does not succeed`},
	{`has a completion all the same`, `produces no completion`},
	{`takes no completion callback`, `a function that takes none`},
	{`came all the same$`, `no completion callback comes`},
	{`never returned`, `answer inline|returns|At most one callback|pending until`},
	{`while \w+ was running$`, `overlap|not closed while|returned`},
	{`is not a flag of|has no flag`, `flags documented`},
	{`had not succeeded$`, `only after its creation succeeded`},
	{`was called after (Ndk|ibv_)\w*`, `not used once its close was started`},
}

// The text of the rule that a violation cites says what its message alleges, over the corpus of what is forbidden.
func TestRuleSaysWhatIsAlleged(t *testing.T) {
	met := map[string]int{}
	for _, row := range judging.Corpus(t) {
		o := row.Options()
		for _, o.Engine = range []linearize.Engine{linearize.Streaming, ""} {
			if row.Verdict != string(verdict.ProviderViolation) && row.Verdict != string(verdict.ConsumerViolation) {
				continue
			}
			for _, f := range linearize.Check(t.Context(), row.Read(t), o).Findings {
				rule, known := rules.Get(f.Rule)
				if f.Verdict == verdict.Inconclusive || !known {
					continue
				}
				for _, a := range alleged {
					if regexp.MustCompile(a.message).MatchString(f.Message) {
						if met[a.message]++; !regexp.MustCompile(a.rule).MatchString(rule.Text) {
							t.Errorf("%s: %s does not say what is alleged: %s\n%s", row.Name(), f.Rule, f.Message, rule.Text)
						}
					}
				}
			}
		}
	}
	if i := slices.IndexFunc(alleged, func(a struct{ message, rule string }) bool { return met[a.message] == 0 }); i >= 0 {
		t.Errorf("no message has %q", alleged[i].message)
	}
}

// What goes on behind a token that is not valid breaks one rule in NDSPI, whatever the engine, though a request that fails ends a connection there
// (FLUSH-06) as a bad token does (INV-05).
func TestBadTokenHasOneRuleInNdspi(t *testing.T) {
	differ := []string{ // a failed message, whose receive is cancelled: FLUSH-06 by the stream, INV-05 by porcupine
		"reject/goes-on-though-a-bad-token-cancelled-a-receive.ndktrace.jsonl",
		"reject/send-behind-a-bad-token-that-cancelled-its-receive.ndktrace.jsonl",
	}
	rows := 0
	for _, row := range judging.Corpus(t) {
		if row.Rule != "INV-05" || !strings.HasPrefix(row.File, "reject/") || slices.Contains(differ, row.File) {
			continue
		}
		traced := row.Read(t)
		if traced.Header.Dialect != "ndkpi" {
			continue
		}
		rows++
		traced.Header.Dialect, traced.Header.Ndk = "ndspi", ""
		named := map[linearize.Engine]string{}
		o := row.Options()
		for _, o.Engine = range []linearize.Engine{linearize.Streaming, linearize.Porcupine, linearize.Auto} {
			if r := linearize.Check(t.Context(), traced, o); r.Violated() {
				named[o.Engine] = r.Findings[0].Rule
			}
		}
		first := named[linearize.Streaming]
		if first == "" || named[linearize.Porcupine] != first || named[linearize.Auto] != first {
			t.Errorf("%s: %v", row.File, named)
		}
	}
	if rows < 10 {
		t.Errorf("the corpus has %d rows", rows)
	}
}
