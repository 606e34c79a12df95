package conformance_test

import (
	"context"
	"fmt"

	"ndkoracle/conformance"
	"ndkoracle/linearize"
)

// A provider of one's own takes the place of conformance.Refimpl. The trace is judged as any other.
func ExampleRecordTrace() {
	s, _ := conformance.Find("arm-merge")
	recorded, err := conformance.RecordTrace(context.Background(), s, conformance.Refimpl(), 1, 25)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := linearize.Check(context.Background(), recorded, linearize.Options{})
	fmt.Println(recorded.Header.Run["scenario"], report.Verdict)
	// Output: arm-merge conformant
}

// The scenarios say what they try, and which rules they exercise.
func ExampleScenarios() {
	for _, s := range conformance.Scenarios()[:2] {
		fmt.Printf("%s: %s\n", s.Name, s.Doc)
	}
	// Output:
	// arm-merge: no arm or up to three, of all types in all orders, before a completion of each kind
	// arm-present: completions certainly present when the CQ is armed: fresh, old, or both
}
