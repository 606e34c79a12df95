package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ndkoracle/internal/browser"
	"ndkoracle/internal/counterexample"
)

// The page of a counter-example has its hidden steps and its last state. It is not green. The finding is at the last step. It fits a desk and a telephone.
func TestPageOfACounterExample(t *testing.T) {
	placed := `[qp |-> "a", queue |-> "receive", req |-> 0, status |-> "SUCCESS", solicited |-> FALSE, token |-> "no token"]`
	example := counterexample.Example{Configuration: "use/example", Dialect: "ndkpi", Property: "NoCompletionSleptThrough", Depth: 2}
	for _, action := range []string{`MCNdkArmCq("q", "ANY")`, `MCPlace("q", ` + placed + `)`, `MCNdkCqNotificationCallbackEnter("q", "STATUS_SUCCESS")`, `MCWake("q")`,
		`MCNdkCqNotificationCallbackExit("q")`, `MCWakeUp("q")`} {
		example.Steps = append(example.Steps, counterexample.Step{Action: action, After: map[string]string{"cq": "[q |-> asleep]"}})
	}
	var page bytes.Buffer
	if err := drawExample(&page, example); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "cq = [q |-&gt; asleep]") {
		t.Error("it does not have the last state")
	}
	for _, width := range []int{1400, 400} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			seen := browser.Look(t, page.Bytes(), width)
			for _, objection := range seen.Objections() {
				t.Error(objection)
			}
			for _, want := range []string{"breaks NoCompletionSleptThrough", "6 steps of TLC", "Wake(q)", "WakeUp(q)", "queue pairs and requests are made up"} {
				if !strings.Contains(seen.Text, want) {
					t.Errorf("it does not show %q:\n%s", want, seen.Text)
				}
			}
			if seen.Classes["kept"] > 0 || seen.Classes["broken"] != 1 || seen.Classes["hidden"] < 4 || !strings.Contains(seen.NextFinding, "WakeUp(q)") {
				t.Errorf("classes %v; n arrives at %q", seen.Classes, seen.NextFinding)
			}
		})
	}
}
