package monitor

import (
	"slices"
	"strings"

	"ndkoracle/ndk"
	"ndkoracle/trace"
)

// documented looks whether a completion callback has a status that the page of its request lists: ASY-06. Each list ends with "other status codes".
type documented struct {
	seldom
	m     *Monitor
	count *int
}

var _ = group(newDocumented,
	rule{ID: "ASY-06", On: on{"a request completes with a completion callback, and its page lists statuses"}, OnlyNdk: true},
)

func newDocumented(m *Monitor) checks {
	if m.dialect.Name != "ndkpi" {
		return nothing{} // in user mode a status is that of an OVERLAPPED
	}
	return &documented{m: m, count: m.counter("ASY-06")}
}

func (d *documented) begin(c *Call, e *trace.Event) {
	of := c.completes
	if of == nil || of.answers > 0 || statusesOf[of.Fn] == nil {
		return
	}
	status, err := ndk.ParseStatus(e.Status)
	if err != nil {
		return // a reader has warned of the word
	}
	*d.count++
	switch listed := statusesOf[of.Fn]; {
	case slices.Contains(listed, status):
	case status == ndk.STATUS_CANCELLED: // a close may cancel a request, whatever its page says (LIFE-10)
	default:
		d.m.advise("ASY-06", "%s (line %d) completed with %s; its page names %s", of.name(), of.Begun.Line, status, names(listed))
	}
}

func names(statuses []ndk.Status) string {
	var all []string
	for _, s := range statuses {
		all = append(all, s.String())
	}
	return strings.Join(all, ", ")
}

// statusesOf are the statuses that the page of a request lists, but for STATUS_PENDING: those that it returns and those that it completes with
// stand in one list. A close is not among them, as its callback has no status.
var statusesOf = func() map[string][]ndk.Status {
	all := map[string][]ndk.Status{}
	for line := range strings.Lines(statusesText) {
		requests, others, _ := strings.Cut(line, ":")
		statuses := []ndk.Status{ndk.STATUS_SUCCESS}
		for word := range strings.FieldsSeq(others) {
			status, err := ndk.ParseStatus("STATUS_" + word)
			if err != nil {
				panic("monitor: " + err.Error())
			}
			statuses = append(statuses, status)
		}
		for request := range strings.FieldsSeq(requests) {
			all[request] = statuses
		}
	}
	return all
}()

const statusesText = `
	NdkCreatePd NdkCreateConnector NdkCreateListener NdkCreateMr NdkCreateMw: INSUFFICIENT_RESOURCES
	NdkCreateCq NdkCreateQp NdkCreateQpWithSrq NdkCreateSrq: INVALID_PARAMETER INSUFFICIENT_RESOURCES
	NdkCreateSharedEndpoint: INSUFFICIENT_RESOURCES SHARING_VIOLATION TOO_MANY_ADDRESSES INVALID_ADDRESS
	NdkBuildLAM: INVALID_PARAMETER INSUFFICIENT_RESOURCES BUFFER_TOO_SMALL
	NdkResizeCq NdkRegisterMr: INVALID_PARAMETER INSUFFICIENT_RESOURCES
	NdkModifySrq: INVALID_PARAMETER
	NdkInitializeFastRegisterMr: IMPLEMENTATION_LIMIT
	NdkDeregisterMr:
	NdkListen: INSUFFICIENT_RESOURCES SHARING_VIOLATION INVALID_ADDRESS TOO_MANY_ADDRESSES
	NdkConnect: INSUFFICIENT_RESOURCES NETWORK_UNREACHABLE HOST_UNREACHABLE CONNECTION_REFUSED IO_TIMEOUT SHARING_VIOLATION INVALID_ADDRESS TOO_MANY_ADDRESSES ADDRESS_ALREADY_EXISTS
	NdkConnectWithSharedEndpoint: INSUFFICIENT_RESOURCES NETWORK_UNREACHABLE HOST_UNREACHABLE CONNECTION_REFUSED IO_TIMEOUT ADDRESS_ALREADY_EXISTS
	NdkCompleteConnect NdkCompleteConnectEx: CONNECTION_INVALID CONNECTION_ABORTED IO_TIMEOUT
	NdkAccept NdkAcceptEx: CONNECTION_ABORTED IO_TIMEOUT
	NdkDisconnect: IO_TIMEOUT
`
