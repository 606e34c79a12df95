package notation

import "slices"

// ConnectedAgain returns the events of runs in which the connection of a queue pair ends, and a later one is made. All are allowed.
func ConnectedAgain() map[string][]string {
	const (
		receive  = `NdkReceive "qp":"qp1","wr":"r1"` + Succeeds
		receive2 = `NdkReceive "qp":"qp1","wr":"r2"` + Succeeds
		write    = `NdkWrite "qp":"qp1","wr":"w3"` + Succeeds
		write2   = `NdkWrite "qp":"qp1","wr":"w4"` + Succeeds
		send     = `NdkSend "qp":"qp1","wr":"w3"` + Succeeds
		refused  = `NdkWrite "qp":"qp1","wr":"w3"|"status":"STATUS_CONNECTION_INVALID"`
		fails    = `NdkCompleteConnect "qp":"qp1"|"status":"STATUS_CONNECTION_ABORTED"`
		pends    = `NdkCompleteConnect "qp":"qp1"|"status":"STATUS_PENDING"`
		accept   = `NdkAccept "qp":"qp2","conn":"m"` + Succeeds
		rest     = `"ph":"point","fn":"quiesce"`

		connect, again, complete = `NdkConnect "qp":"qp1","conn":"n"` + Succeeds, `NdkConnect "qp":"qp1","conn":"m"` + Succeeds, `NdkCompleteConnect "qp":"qp1"` + Succeeds
	)
	get := func(wr, status string) string {
		return `NdkGetCqResults "cq":"cq1","n":8|"results":[{"wr":"` + wr + `","status":"STATUS_` + status + `"}]`
	}
	runs := map[string][]string{
		"completing fails":           {receive, connect, fails, again, complete, receive2, rest, get("r1", "CANCELLED"), get("r2", "SUCCESS")},
		"it is told before":          {receive, connect, fails, get("r1", "CANCELLED"), again, complete, receive2, rest, get("r2", "SUCCESS")},
		"completing fails later":     {receive, connect, pends, `NdkRequestCompletion "for":"7","status":"STATUS_IO_TIMEOUT"|`, again, complete, receive2, get("r1", "CANCELLED"), get("r2", "SUCCESS")},
		"one of two":                 {receive, receive2, connect, fails, again, complete, get("r1", "CANCELLED"), get("r2", "SUCCESS")},
		"posted between":             {receive, connect, fails, receive2, get("r1", "CANCELLED"), again, get("r2", "SUCCESS")},
		"a write is cancelled":       {connect, write, fails, again, complete, write2, rest, get("w3", "CANCELLED"), get("w4", "SUCCESS")},
		"a write succeeds before":    {receive, connect, write, fails, get("w3", "SUCCESS"), get("r1", "CANCELLED"), again, complete, receive2, rest, get("r2", "SUCCESS")},
		"a write is refused":         {receive, connect, refused, fails, get("r1", "CANCELLED"), again, complete, receive2, rest, get("r2", "SUCCESS")},
		"nothing tells of the end":   {receive, connect, get("r1", "CANCELLED"), again, receive2, rest, get("r2", "SUCCESS")},
		"it has another end":         {connect, send, fails, again, complete, accept, write2, rest, get("w3", "SUCCESS"), get("w4", "SUCCESS")},
		"it has another end, a rest": {connect, send, rest, get("w3", "SUCCESS"), fails, again, complete, accept, write2, rest, get("w4", "SUCCESS")},
	}
	created := []string{
		`NdkCreateCq "cq":"cq1","depth":4` + Succeeds, `NdkCreateCq "cq":"cq2","depth":4` + Succeeds,
		`NdkCreateQp "qp":"qp1","receive_cq":"cq1","initiator_cq":"cq1"` + Succeeds, `NdkCreateQp "qp":"qp2","receive_cq":"cq2","initiator_cq":"cq2"` + Succeeds,
	}
	for name, events := range runs {
		runs[name] = Lines(slices.Concat(created, events)...)
	}
	return runs
}
