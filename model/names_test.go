package model

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const specification = "../tla/"

func readSpecification(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(specification + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

var definition = regexp.MustCompile(`(?m)^(\w+)(?:\([^=]*\))? ==`)

// definitions returns the operators of a module and their text.
func definitions(t *testing.T, module string) map[string]string {
	t.Helper()
	text := readSpecification(t, module)
	at := definition.FindAllStringSubmatchIndex(text, -1)
	all := map[string]string{}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		all[text[m[2]:m[3]]] = text[m[1]:end]
	}
	return all
}

// The actions of the model are those of Ndk.tla, where every action says what it leaves UNCHANGED, Place of
// CompletionQueue, which Ndk takes into Complete, and those of SharedReceiveQueue, which say what an SRQ may become.
func TestActionsHaveTheNamesOfTla(t *testing.T) {
	specified := []string{string(Place)}
	if _, ok := definitions(t, "CompletionQueue.tla")[string(Place)]; !ok {
		t.Errorf("CompletionQueue.tla does not define %s", Place)
	}
	for name, text := range definitions(t, "Ndk.tla") {
		if strings.Contains(text, "UNCHANGED") {
			specified = append(specified, name)
		}
	}
	for name, text := range definitions(t, "SharedReceiveQueue.tla") {
		if strings.Contains(text, "Become(s, ") {
			specified = append(specified, name)
		}
	}
	var known []string
	for _, name := range Names() {
		known = append(known, string(name))
	}
	slices.Sort(known)
	slices.Sort(specified)
	if !slices.Equal(known, specified) {
		t.Errorf("the model has\n%v, tla/ has\n%v", known, specified)
	}
}

// The values have the names of tla/: each is found in the set that the specification draws it from.
func TestValuesHaveTheNamesOfTla(t *testing.T) {
	dialect, cq, qp := definitions(t, "Dialect.tla"), definitions(t, "CompletionQueue.tla"), definitions(t, "QueuePair.tla")
	srq := definitions(t, "SharedReceiveQueue.tla")
	tests := []struct {
		set       string
		specified string // text that holds the elements in quotes
		known     []string
	}{
		{"NotifyTypes", dialect["AllNotifyTypes"], names(ERRORS, ANY)},
		{"arms", cq["Strength"], names(NONE, ANY)},
		{"Outcomes", dialect["Outcomes"], names(SUCCESS, CANCELLED)},
		{"Ops", dialect["InitiatorOps"] + dialect["Ops"], names(Send, Write)},
		{"Queues", dialect["Queues"], names(Initiator, Receive)},
		{"CqStatuses", cq["CqErrors"] + cq["CqStatuses"], names(OK, InternalError)},
		{"open", cq["CqTypeOK"][strings.Index(cq["CqTypeOK"], "r.open"):], names(Open, Closed)},
		{"ResultTypes", dialect["ResultTypes"], names(ReceiveResult, WriteResult)},
		{"modify", between(srq["SrqTypeOK"], "r.modify", "r.asked"), names(NotModifying, ModifyDone)},
		{"token", definitions(t, "Tokens.tla")["TokenTypeOK"], names(Invalid, Undefined)},
		{"QpStates", qp["QpStates"], names(Idle, QpClosed)},
		{"phases", qp["IsRequest"][strings.LastIndex(qp["IsRequest"], "r.phase"):] + dialect["Outcomes"], names(Deferred, wasCancelled)},
	}
	for _, test := range tests {
		var specified []string
		for _, m := range quoted.FindAllStringSubmatch(test.specified, -1) {
			specified = append(specified, m[1])
		}
		slices.Sort(specified)
		specified = slices.Compact(specified)
		slices.Sort(test.known)
		if !slices.Equal(test.known, specified) {
			t.Errorf("%s: the model has %q, tla/ has %q", test.set, test.known, specified)
		}
	}
}

// between returns the part of a text from a word to another one.
func between(text, from, to string) string {
	text = text[strings.Index(text, from):]
	return text[:strings.Index(text, to)]
}

// names returns what the values of a type from first to last are called.
func names[T interface {
	~uint8
	fmt.Stringer
}](first, last T) []string {
	var all []string
	for v := first; v <= last; v++ {
		all = append(all, v.String())
	}
	return all
}

// What is a call or a callback has the name that traces have for it: NdkCqNotificationCallback, with Enter and Exit for its
// two ends, and for Post and its operation the call that posts it.
func TestCallsHaveTheNamesOfTraces(t *testing.T) {
	text, err := os.ReadFile("../trace/functions.go")
	if err != nil {
		t.Fatal(err)
	}
	inTraces := regexp.MustCompile(`\bNdk\w+`).FindAllString(string(text), -1)
	var calls []string
	for _, name := range Names() {
		if call, ok := strings.CutPrefix(string(name), "Ndk"); ok {
			call = strings.TrimSuffix(strings.TrimSuffix(call, "Enter"), "Exit")
			calls = append(calls, "Ndk"+call)
		}
	}
	for _, op := range names(Send, Write) {
		calls = append(calls, "Ndk"+op)
	}
	if len(calls) < 15 {
		t.Errorf("only %d calls have names", len(calls))
	}
	for _, call := range calls {
		if !slices.Contains(inTraces, call) {
			t.Errorf("%s is no function of a trace", call)
		}
	}
}
