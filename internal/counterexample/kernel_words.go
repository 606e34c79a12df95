package counterexample

import (
	"fmt"

	"ndkoracle/trace"
)

// kernelWords are those of dialect kverbs: libibverbs's, but for a handler that is called back.
type kernelWords struct {
	*verbsWords
	running map[string][]string // ops of the handlers of a CQ that have begun and not returned, oldest first
}

func newKernelWords(w *verbsWords) *kernelWords {
	return &kernelWords{w, map[string][]string{}}
}

func (w *kernelWords) createCq(cq string, depth int64) {
	w.call(mainThread, "ibv_create_cq", trace.Event{Cq: cq, Depth: &depth}, trace.Event{})
}

func (w *kernelWords) listen() {}

const handler = "comp_handler"

func (w *kernelWords) enter(cq, status string) error {
	if status != "STATUS_SUCCESS" {
		return fmt.Errorf("the verbs tell errors of a CQ as asynchronous events")
	}
	w.running[cq] = append(w.running[cq], w.begin(trace.Event{Thr: callbackThread, Ph: trace.Enter, Fn: handler, Cq: cq}))
	return nil
}

func (w *kernelWords) exit(cq string) error {
	if len(w.running[cq]) == 0 {
		return fmt.Errorf("no handler of %s is running", cq)
	}
	w.add(trace.Event{Thr: callbackThread, Ph: trace.Exit, Fn: handler, Op: w.running[cq][0]})
	w.running[cq] = w.running[cq][1:]
	return nil
}
