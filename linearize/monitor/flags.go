package monitor

import (
	"slices"
	"strconv"
	"strings"

	"ndkoracle/linearize/declared"
	"ndkoracle/linearize/verdict"
)

// flags checks which flags a request has: POST-11, and of NDK_OP_FLAG_DEFER DEF-01 and DEF-08.
type flags struct {
	seldom
	noRequest
	s        *requests
	defers   bool // there are the flags of NDKPI that NDSPI does not have
	early    bool // the interface is older than NDKPI 1.2
	requests *int // POST-11
	deferred *int // DEF-01
	versions *int // DEF-08
}

var _ = decides(
	rule{ID: "POST-11", On: on{"a request has flags"}, Rests: declared.OwnWords},
	rule{ID: "DEF-01", On: on{"a request has NDK_OP_FLAG_DEFER"}, OnlyNdk: true, Rests: declared.OwnWords},
	rule{ID: "DEF-08", On: on{"a request has NDK_OP_FLAG_DEFER, and the header has the version"}, OnlyNdk: true, Rests: declared.OwnWords, Undefined: "about versions of the interface, not about its use"},
)

func newFlags(m *Monitor) checks {
	return &flags{s: m.requests, defers: m.dialect.Defers, early: isBefore12(m.header.Ndk),
		requests: m.counter("POST-11"), deferred: m.counter("DEF-01"), versions: m.counter("DEF-08")}
}

// isBefore12 reports whether a version of NDKPI is older than 1.2. An absent one is not.
func isBefore12(version string) bool {
	first, second, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(first)
	minor, other := strconv.Atoi(second)
	return err == nil && other == nil && (major < 1 || major == 1 && minor < 2)
}

// flagsOf lists the flags of the requests of NDKPI: those of their pages, with NDK_OP_FLAG_INLINE on NdkWrite and NDK_OP_FLAG_RDMA_READ_SINK on
// NdkFastRegister (A13). ALLOW_LOCAL_WRITE is part of ALLOW_REMOTE_WRITE.
var flagsOf = map[string][]string{
	"NdkSend":              strings.Fields("SILENT_SUCCESS READ_FENCE DEFER INLINE SEND_AND_SOLICIT_EVENT"),
	"NdkSendAndInvalidate": strings.Fields("SILENT_SUCCESS READ_FENCE DEFER INLINE SEND_AND_SOLICIT_EVENT"),
	"NdkWrite":             strings.Fields("SILENT_SUCCESS READ_FENCE DEFER INLINE"),
	"NdkRead":              strings.Fields("SILENT_SUCCESS READ_FENCE DEFER RDMA_READ_LOCAL_INVALIDATE"),
	"NdkInvalidate":        strings.Fields("SILENT_SUCCESS READ_FENCE DEFER"),
	"NdkBind":              strings.Fields("SILENT_SUCCESS READ_FENCE DEFER ALLOW_REMOTE_READ ALLOW_REMOTE_WRITE ALLOW_LOCAL_WRITE"),
	"NdkFastRegister":      strings.Fields("SILENT_SUCCESS READ_FENCE DEFER ALLOW_REMOTE_READ ALLOW_REMOTE_WRITE ALLOW_LOCAL_WRITE RDMA_READ_SINK"),
}

// onlyNdkpi lists the flags that NDSPI does not have.
var onlyNdkpi = []string{"DEFER", "RDMA_READ_LOCAL_INVALIDATE", "RDMA_READ_SINK"}

func (f *flags) called(r *workRequest, c *Call, given []string) {
	if c.Verbs {
		f.checkVerbs(r, given)
		return
	}
	if slices.Contains(given, "DEFER") {
		f.checkDefer(r)
	}
	takes, known := flagsOf[r.fn]
	isReceive := r.fn == "NdkReceive" || r.fn == "NdkSrqReceive" // which have no parameter for flags
	if !known && !isReceive || len(given) == 0 {
		return
	}
	*f.requests++
	for _, flag := range given {
		if isReceive && flag == "DEFER" {
			continue // DEF-01
		}
		if !f.defers && slices.Contains(onlyNdkpi, flag) {
			f.report(r, "POST-11", r.fn+" of NDSPI has no flag "+flag)
		} else if !slices.Contains(takes, flag) {
			f.report(r, "POST-11", "NDK_OP_FLAG_"+flag+" is not a flag of "+r.fn)
		}
	}
}

// checkDefer is DEF-01 and DEF-08.
func (f *flags) checkDefer(r *workRequest) {
	if *f.deferred++; flagsOf[r.fn] == nil {
		f.report(r, "DEF-01", r.fn+" takes no DEFER")
		return
	}
	if version := f.s.m.header.Ndk; version != "" && f.defers {
		if *f.versions++; f.early {
			f.report(r, "DEF-08", r.fn+" has NDK_OP_FLAG_DEFER, which NDKPI "+version+" does not have")
		}
	}
}

// noInline and noSolicit list the opcodes that have no inline data, and that solicit no event (ibv_post_send(3)).
var (
	noInline  = []string{"RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD", "LOCAL_INV", "BIND_MW"}
	noSolicit = append(slices.Clone(noInline), "RDMA_WRITE")
)

// checkVerbs is POST-11 for a request of ibv_post_send.
func (f *flags) checkVerbs(r *workRequest, given []string) {
	if r.opcode == "" || len(given) == 0 {
		return
	}
	*f.requests++
	for _, flag := range given {
		name := strings.TrimPrefix(flag, "IBV_SEND_")
		if name == "INLINE" && slices.Contains(noInline, r.opcode) || name == "SOLICITED" && slices.Contains(noSolicit, r.opcode) {
			f.report(r, "POST-11", "IBV_SEND_"+name+" is not a flag of IBV_WR_"+r.opcode)
		}
	}
}

func (f *flags) report(r *workRequest, rule, why string) {
	if p := r.queue.qp; p != nil && !p.once(rule+why) {
		return
	}
	f.s.m.report(Finding{Verdict: verdict.ConsumerViolation, Rule: rule, Objects: []Object{r.queue.object()}, Follows: true, Message: r.wr + ": " + why})
}
