package counterexample

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

const (
	plain     = `[qp |-> "a", queue |-> "receive", req |-> 0, status |-> "SUCCESS", solicited |-> FALSE, token |-> "no token"]`
	solicited = `[qp |-> "a", queue |-> "receive", req |-> 0, status |-> "SUCCESS", solicited |-> TRUE, token |-> "no token"]`
	failed    = `[qp |-> "a", queue |-> "receive", req |-> 0, status |-> "FAILED", solicited |-> FALSE, token |-> "no token"]`
)

// ARM-04, ARM-10, ARM-11, ARM-12: what the judge says of a run is right for each kind of completion, in each dialect.
func TestWrite(t *testing.T) {
	place := func(completion string) string { return `MCPlace("q", ` + completion + `)` }
	for _, test := range []struct {
		name    string
		dialect string
		actions []string
		verdict verdict.Verdict
		rule    string
	}{
		{"a round", "ndkpi", []string{`MCNdkArmCq("q", "ANY")`, place(plain), `MCNdkCqNotificationCallbackEnter("q", "STATUS_SUCCESS")`,
			`MCNdkGetCqResults("q", "callback", 2, 1)`, `MCNdkCqNotificationCallbackExit("q")`, `MCNdkGetCqResults("q", 2, 0)`}, verdict.Conformant, ""},
		{"a round", "ndspi", []string{`MCNdkArmCq("q", "ANY")`, place(plain), `MCNdkCqNotificationCallbackEnter("q", "STATUS_SUCCESS")`,
			`MCNdkGetCqResults("q", 2, 1)`}, verdict.Conformant, ""},
		{"a round", "verbs", []string{`MCNdkArmCq("q", "ANY")`, place(plain), `MCNdkCqNotificationCallbackEnter("q", "STATUS_SUCCESS")`,
			`MCNdkGetCqResults("q", "main", 1, 1)`, `MCNdkCqNotificationCallbackExit("q")`}, verdict.Conformant, ""},
		{"a fresh completion at the arm", "ndkpi", []string{place(plain), `MCNdkArmCq("q", "ANY")`}, verdict.ProviderViolation, "ARM-04"},
		{"a fresh completion at the arm", "ndspi", []string{place(plain), `MCNdkArmCq("q", "ANY")`}, verdict.ProviderViolation, "ARM-04"},
		{"a fresh completion at the arm", "verbs", []string{place(plain), `MCNdkArmCq("q", "ANY")`}, verdict.Conformant, ""},
		{"not solicited", "ndkpi", []string{`MCNdkArmCq("q", "SOLICITED")`, place(plain)}, verdict.Conformant, ""},
		{"solicited", "ndkpi", []string{`MCNdkArmCq("q", "SOLICITED")`, place(solicited)}, verdict.ProviderViolation, "ARM-10"},
		{"failed", "ndkpi", []string{`MCNdkArmCq("q", "SOLICITED")`, place(failed)}, verdict.ProviderViolation, "ARM-11"},
		{"not solicited", "verbs", []string{`MCNdkArmCq("q", "SOLICITED")`, place(plain)}, verdict.Conformant, ""},
		{"solicited", "verbs", []string{`MCNdkArmCq("q", "SOLICITED")`, place(solicited)}, verdict.ProviderViolation, "ARM-10"},
		{"solicited", "kverbs", []string{`MCNdkArmCq("q", "SOLICITED")`, place(solicited)}, verdict.ProviderViolation, "ARM-10"},
		{"a round", "kverbs", []string{`MCNdkArmCq("q", "ANY")`, place(plain), `MCNdkCqNotificationCallbackEnter("q", "STATUS_SUCCESS")`,
			`MCNdkCqNotificationCallbackExit("q")`}, verdict.Conformant, ""},
		{"failed", "verbs", []string{`MCNdkArmCq("q", "SOLICITED")`, place(failed)}, verdict.ProviderViolation, "ARM-11"},
	} {
		t.Run(test.name+" in "+test.dialect, func(t *testing.T) {
			var file bytes.Buffer
			if err := Write(&file, Example{"x", test.dialect, "P", 2, nil, steps(test.actions...), true}); err != nil {
				t.Fatal(err)
			}
			text := file.String()
			read, err := trace.Read("example", &file, 0)
			if err != nil {
				t.Fatal(err)
			}
			report := linearize.Check(context.Background(), read, linearize.Options{})
			rule := ""
			if len(report.Findings) > 0 {
				rule = report.Findings[0].Rule
			}
			if report.Verdict != test.verdict || rule != test.rule {
				t.Errorf("%s of %q, want %s of %q:\n%s", report.Verdict, rule, test.verdict, test.rule, text)
			}
		})
	}
}

// What can't be told, or is no counter-example, is refused, and the error says where and why.
func TestWriteErrors(t *testing.T) {
	for _, test := range []struct {
		dialect, action, want string
	}{
		{"rdma", ``, `there is no dialect "rdma"`},
		{"ndkpi", `MCNdkArmCq`, "step 1, MCNdkArmCq: no action with its arguments"},
		{"ndkpi", `MCNdkArmCq("q", `, "a value is missing"},
		{"ndkpi", `MCNdkArmCq("q) /\ x`, "a string does not end"},
		{"ndkpi", `MCNdkArmCq("q") /\ x`, "something follows the action"},
		{"ndkpi", `MCDance("q")`, "there is no way to tell it"},
		{"ndkpi", `MCNdkGetCqResults("q", 2, 1)`, "it finds 1 completions, of which only 0 were placed"},
		{"ndkpi", `MCNdkGetCqResults("q", 2, "n")`, `"n" is no number`},
		{"ndkpi", `MCNdkGetCqResults("q", 1)`, "it does not say with what room"},
		{"ndkpi", `MCPlace("q", 1)`, "does not say which completion"},
		{"ndkpi", `MCNdkCqNotificationCallbackExit("q")`, "no callback of q is running"},
		{"verbs", `MCNdkArmCq("q", "ERRORS")`, "libibverbs has no arm for errors alone"},
		{"verbs", `MCNdkCqNotificationCallbackEnter("q", "STATUS_INTERNAL_ERROR")`, "asynchronous events"},
	} {
		err := Write(io.Discard, Example{"x", test.dialect, "P", 2, nil, steps(test.action), true})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.action, err, test.want)
		}
	}
}

func steps(actions ...string) []Step {
	all := make([]Step, len(actions))
	for i, a := range actions {
		all[i].Action = a
	}
	return all
}
