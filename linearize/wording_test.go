package linearize_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/rules"
)

// A message of a finding has three parts: what happened, in the names of the trace; why that is wrong, or unknown; and what to look at or do.
// It uses the words of the trace's dialect.
var (
	why       = regexp.MustCompile(`, (and|but|so|though|which|whose|as|if|when|into)\b|[:;]|\b(before|behind|without|after|while|never)\b| a second time| into room for `)
	decidedBy = regexp.MustCompile(`\b(decides?|would)\b|--engine|\bfield\b`)
	unplain   = regexp.MustCompile(`this engine does not follow|\bnobody\b|\b(told|tells?)\b|, too\b|nothing explains|\b(is|are) no\b|\bleaves? open|\bleft open|\btakes that\b`)
	ofNdk     = regexp.MustCompile(`\bNdk|\bNDK_|\bSTATUS_|SILENT_SUCCESS|\bDEFER\b`)
	ofVerbs   = regexp.MustCompile(`\bibv_|\bIBV_|\berrno\b|\bunsignalled\b`)
	quoted    = regexp.MustCompile(`"[a-z_]+": ?"?([^",:{}\[\]]+)`)
)

const mostWords = 40

// byItself are the rules of what one event shows alone, or of what is missing before it or behind it: the line of the finding is all that there is to look at.
var byItself = strings.Fields("ARM-01 ARM-13 ARM-15 ARM-16 CONN-01 DEF-01 DEF-06 DEF-08 LIFE-01 LIFE-13 MEM-13 POLL-02 POLL-05 POST-06 POST-10 POST-11 SRQ-08")

// complaints returns what a finding of a trace lacks. Names are those of the trace.
func complaints(f *verdict.Finding, dialect string, names map[string]bool) []string {
	var found []string
	complain := func(when bool, what string) {
		if when {
			found = append(found, what)
		}
	}
	rule, known := rules.Get(f.Rule)
	violation := f.Verdict != verdict.Inconclusive
	ofObjects := violation || f.Rule != ""
	complain((violation || f.Rule != "") && (!known || rule.Text == ""), "has no rule")
	complain(len(strings.Fields(f.Message)) > mostWords, fmt.Sprintf("has more than %d words", mostWords))
	complain(ofObjects && !slices.ContainsFunc(regexp.MustCompile(`[\w.]+`).FindAllString(f.Message, -1), func(w string) bool { return names[w] }), "names nothing of the trace")
	complain(!why.MatchString(f.Message), "does not say why")
	complain(violation && len(f.See)+len(f.Instead) == 0 && !slices.Contains(byItself, f.Rule), "shows no other line")
	complain(!violation && !decidedBy.MatchString(f.Message), "does not say what would decide it")
	said := strings.Join(slices.Concat(f.Before, f.Instead), "\n")
	return append(found, unlike(f.Message, said, dialect)...)
}

// unlike returns which words of a message are not plain, or not those of its dialect. said is what is told with it.
func unlike(message, said, dialect string) (found []string) {
	if words := unplain.FindString(message); words != "" {
		found = append(found, fmt.Sprintf("has the words %q", words))
	}
	foreign, other := ofVerbs, "libibverbs"
	if strings.HasSuffix(dialect, "verbs") {
		foreign, other = ofNdk, "NDKPI"
	}
	if words := foreign.FindString(message); words != "" {
		found = append(found, fmt.Sprintf("says %q of %s", words, other))
	}
	if dialect == "verbs" && strings.Contains(message+said, "callback") {
		found = append(found, "speaks of a callback in verbs")
	}
	return found
}

// namesIn returns what a trace names: the values of its fields.
func namesIn(t *testing.T, row judging.Row) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(judging.Traces(t), row.File))
	if err != nil {
		t.Fatal(err)
	}
	_, events, _ := strings.Cut(string(text), "\n")
	names := map[string]bool{"NdkCloseAdapter": true} // a call that names no object: a provider has one adapter
	for line := range strings.Lines(events) {
		for _, field := range quoted.FindAllStringSubmatch(line, -1) {
			if !strings.HasPrefix(field[1], "Ndk") && !strings.HasPrefix(field[1], "ibv_") {
				names[field[1]] = true
			}
		}
	}
	return names
}

// Each finding and each warning over the corpus of what is forbidden, by whatever engine, is in plain words of its dialect. A finding says what happened, why
// that is wrong or unknown, and what to look at.
func TestMessagesHaveThreeParts(t *testing.T) {
	findings, warnings := 0, 0
	for _, row := range judging.Corpus(t) {
		if !strings.HasPrefix(row.File, "reject/") {
			continue
		}
		traced, names, o := row.Read(t), namesIn(t, row), row.Options()
		for _, o.Engine = range []linearize.Engine{linearize.Streaming, linearize.Porcupine, linearize.Auto} {
			report := linearize.Check(t.Context(), traced, o)
			for _, w := range report.Warnings {
				warnings++
				for _, complaint := range unlike(w.Text, "", report.Dialect) {
					t.Errorf("%s: a warning %s: %s", row.Name(), complaint, w.Text)
				}
			}
			for i := range report.Findings {
				f := &report.Findings[i]
				findings++
				for _, complaint := range complaints(f, report.Dialect, names) {
					t.Errorf("%s: a message %s: %s: %s", row.Name(), complaint, f.Rule, f.Message)
				}
			}
		}
	}
	if findings < 1500 || warnings < 50 {
		t.Errorf("only %d findings and %d warnings were looked at", findings, warnings)
	}
}

// Each complaint is made of a message that deserves it, and none of one that has all parts.
func TestWordingIsChecked(t *testing.T) {
	good := verdict.Finding{Verdict: verdict.ProviderViolation, Rule: "POLL-04", Line: 9, See: []int{7}, Message: "cq1 delivered the completion of w1 a second time"}
	names := map[string]bool{"w1": true, "cq1": true}
	if found := complaints(&good, "verbs", names); found != nil {
		t.Errorf("%q", found)
	}
	for _, test := range []struct {
		dialect, want string
		change        func(*verdict.Finding)
	}{
		{"ndkpi", "has no rule", func(f *verdict.Finding) { f.Rule = "POLL-99" }},
		{"ndkpi", "has more than 40 words", func(f *verdict.Finding) { f.Message += strings.Repeat(" again", 40) }},
		{"ndkpi", "names nothing of the trace", func(f *verdict.Finding) { f.Message = "the CQ delivered the completion of w2 a second time" }},
		{"ndkpi", "does not say why", func(f *verdict.Finding) { f.Message = "cq1 delivered w1" }},
		{"ndkpi", "shows no other line", func(f *verdict.Finding) { f.See = nil }},
		{"ndkpi", "does not say what would decide it", func(f *verdict.Finding) { f.Verdict = verdict.Inconclusive }},
		{"ndkpi", `has the words "nobody"`, func(f *verdict.Finding) { f.Message += ", and nobody knows why" }},
		{"verbs", `says "SILENT_SUCCESS" of NDKPI`, func(f *verdict.Finding) { f.Message += " with SILENT_SUCCESS" }},
		{"ndkpi", `says "ibv_" of libibverbs`, func(f *verdict.Finding) { f.Message += " by ibv_poll_cq" }},
		{"verbs", "speaks of a callback in verbs", func(f *verdict.Finding) { f.Message += " in a callback" }},
		{"verbs", "speaks of a callback in verbs", func(f *verdict.Finding) { f.Before = []string{"cq1: 1 callback owed"} }},
	} {
		bad := good
		test.change(&bad)
		if found := complaints(&bad, test.dialect, names); !slices.Equal(found, []string{test.want}) {
			t.Errorf("%q, want %q: %s", found, test.want, bad.Message)
		}
	}
}
