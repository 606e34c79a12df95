package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"ndkoracle/internal/picture"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// fingerprintVersion is part of each fingerprint. It changes when fingerprints are made of something else.
const fingerprintVersion = "1"

// fingerprint names the bug that a finding shows: two findings of one bug have one fingerprint, in whatever file and behind whatever other events
// they are. It is made of the dialect, the verdict of the finding, its rule, and the function and phase of the event at which it was found. A finding
// without a rule has its message in place of the rule, without the words that hold a digit: those are names and numbers of one trace.
func fingerprint(r *result, f *verdict.Finding) string {
	about := f.Rule
	if about == "" {
		about = withoutNames(f.Message)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{
		fingerprintVersion, r.report.Dialect, string(f.Verdict), about, kindOfEvent(r.trace, f.Line),
	}, "\n")))
	return hex.EncodeToString(sum[:16])
}

// fingerprintOfAdvice is the fingerprint of a warning that advice was not followed: that of a finding with the verdict "advice".
func fingerprintOfAdvice(r *result, rule string, w trace.Warning) string {
	return fingerprint(r, &verdict.Finding{Verdict: "advice", Rule: rule, Line: w.Line})
}

// kindOfEvent returns the function and the phase of the event on a line, or "-" where there is none, as at the end of a trace.
func kindOfEvent(t *trace.Trace, line int) string {
	e := picture.EventOn(t, line)
	if e == nil {
		return "-"
	}
	return e.Fn + " " + string(e.Ph)
}

// withoutNames returns a text with "_" in place of each word that holds a digit.
func withoutNames(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if strings.ContainsFunc(word, unicode.IsDigit) {
			words[i] = "_"
		}
	}
	return strings.Join(words, " ")
}
