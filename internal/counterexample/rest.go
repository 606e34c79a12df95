package counterexample

import "fmt"

// atRest reports whether the provider is at rest after the last step: nothing is owed that it still has to do.
func (e Example) atRest() (bool, error) {
	if e.Stutters || len(e.Steps) == 0 {
		return true, nil
	}
	last := e.Steps[len(e.Steps)-1].After
	for name, busy := range map[string]func(value) bool{"cq": owesCallback, "qp": hasPending} {
		text, ok := last[name]
		if !ok {
			continue
		}
		objects, err := parseValue(text)
		if err != nil {
			return false, fmt.Errorf("the variable %s: %w", name, err)
		}
		for _, object := range objects.fields {
			if busy(object) {
				return false, nil
			}
		}
	}
	return true, nil
}

// owesCallback reports whether a callback of a CQ is to come or to return, or the completion of something that is under way.
func owesCallback(cq value) bool {
	return cq.fields["due"].text != "0" || cq.fields["errorDue"].text == "TRUE" || cq.fields["running"].text == "TRUE" ||
		cq.fields["open"].text == "CLOSING" || cq.fields["resize"].text != "NONE"
}

// hasPending reports whether requests of a QP will be executed, or have been and have to be completed. A deferred request
// waits for the end of its chain, a receive for a message. A close that has begun has to complete.
func hasPending(qp value) bool {
	switch qp.fields["state"].text {
	case "CLOSE WAITS", "CLOSING", "COMPLETING":
		return true
	}
	for _, queue := range []string{"initiator", "receive"} {
		for _, r := range qp.fields[queue].elements {
			phase := r.fields["phase"].text
			if phase != "DEFERRED" && (phase != "INDICATED" || queue == "initiator") {
				return true
			}
		}
	}
	return false
}
