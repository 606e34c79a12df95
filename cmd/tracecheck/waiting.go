package main

import (
	"fmt"

	"ndkoracle/trace"
)

// mostWaiting is how many calls are named that have not returned.
const mostWaiting = 4

// waiting describes the calls and callbacks that have not returned at the end of a trace, the latest first. A program that hangs waits in one of them. It
// returns nothing if not all events were kept.
func waiting(r *result) (all []string) {
	if r.trace == nil || len(r.trace.Events) < r.report.Events {
		return nil
	}
	returned := map[string]bool{}
	open := 0
	for i := len(r.trace.Events) - 1; i >= 0; i-- {
		switch e := &r.trace.Events[i]; {
		case e.Ph == trace.Ret, e.Ph == trace.Exit:
			returned[e.Op] = true
		case (e.Ph == trace.Call || e.Ph == trace.Enter) && !returned[e.Op]:
			if open++; open <= mostWaiting {
				all = append(all, fmt.Sprintf("line %d: %s had not returned", e.Line, eventAt(r.trace, e.Line)))
			}
		}
	}
	if open > mostWaiting {
		all = append(all, fmt.Sprintf("and %d others", open-mostWaiting))
	}
	return all
}
