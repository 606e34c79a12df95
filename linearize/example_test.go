package linearize_test

import (
	"context"
	"fmt"
	"os"

	"ndkoracle/linearize"
	"ndkoracle/trace"
)

// A trace is read from a file and judged. A finding names the rule, the line, and what happened.
func ExampleCheck() {
	file, err := os.Open("../traces/reject/two-callbacks-one-arm.ndktrace.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	recorded, err := trace.Read(file.Name(), file, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := linearize.Check(context.Background(), recorded, linearize.Options{})
	fmt.Println(report.Verdict)
	for _, f := range report.Findings {
		fmt.Printf("line %d: %s: %s\n", f.Line, f.Rule, f.Message)
	}
	// Output:
	// provider violation
	// line 16: ARM-02: the callback of cq1 was entered, and no callback is owed: it was not armed since the one before
}
