package linearize_test

import (
	"slices"
	"testing"

	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
)

// A receive of a shared receive queue completes on the receive CQ of a queue pair that took its receives from there when it was posted, or later
// (SRQ-10). Which one took it need not be told. Receives of XRC complete where their shared receive queue says, which the trace does not record.
func TestSharedReceivesCompleteWithTheirTakers(t *testing.T) {
	const (
		queue   = `NdkCreateSrq "srq":"s"` + notation.Succeeds
		another = `NdkCreateSrq "srq":"z"` + notation.Succeeds
		create  = `NdkCreateQpWithSrq "qp":"p","initiator_cq":"c","receive_cq":"c","srq":"s"` + notation.Succeeds
		other   = `NdkCreateQpWithSrq "qp":"o","initiator_cq":"d","receive_cq":"d","srq":"s"` + notation.Succeeds
		connect = `NdkConnect "qp":"p","conn":"k"` + notation.Succeeds
		post    = `NdkSrqReceive "srq":"s","wr":"r"` + notation.Succeeds
		closes  = `NdkCloseQp "qp":"p"` + notation.Succeeds
		poll    = `NdkGetCqResults "cq":"c","n":1|"results":[{"wr":"r","status":"STATUS_SUCCESS"}]`
	)
	cqs := notation.Created[:2]
	verbs := []string{`ibv_create_cq "cq":"c","depth":4|`, `ibv_create_cq "cq":"d","depth":4|`, `ibv_create_srq_ex "srq":"s"|`}
	const (
		basic    = `ibv_create_qp "qp":"p","send_cq":"d","recv_cq":"d","qp_type":"RC","srq":"s"|`
		xrc      = `ibv_create_qp_ex "qp":"x","send_cq":"d","recv_cq":"d","qp_type":"XRC_RECV","srq":"s"|`
		postIbv  = `ibv_post_srq_recv "srq":"s","wrs":[{"wr":"r"}]|`
		pollsIbv = `ibv_poll_cq "cq":"c","n":1|"results":[{"wr":"r","status":"IBV_WC_SUCCESS"}]`
	)
	for name, test := range map[string]struct {
		dialect string
		lines   []string
		breaks  bool
	}{
		"its taker":                        {"ndkpi", slices.Concat(cqs, []string{queue, create, connect, post, poll}), false},
		"a taker that is closed meanwhile": {"ndkpi", slices.Concat(cqs, []string{queue, create, connect, post, closes, poll}), false},
		"a taker that comes later":         {"ndkpi", slices.Concat(cqs, []string{queue, other, post, create, connect, poll}), false},
		"a taker that was closed":          {"ndkpi", slices.Concat(cqs, []string{queue, create, connect, closes, post, poll}), true},
		"a taker of another CQ":            {"ndkpi", slices.Concat(cqs, []string{queue, another, other, connect, post, poll}), true},
		"libibverbs":                       {"verbs", slices.Concat(verbs, []string{basic, postIbv, pollsIbv}), true},
		"XRC":                              {"verbs", slices.Concat(verbs, []string{xrc, postIbv, pollsIbv}), false},
		"XRC of another process":           {"verbs", slices.Concat(verbs, []string{postIbv, pollsIbv}), false},
	} {
		traced := notation.Read(t, test.dialect, notation.Lines(test.lines...))
		for _, engine := range []linearize.Engine{linearize.Streaming, linearize.Porcupine} {
			r := linearize.Check(t.Context(), traced, linearize.Options{Engine: engine})
			if told := slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool { return f.Rule == "SRQ-10" }); told != test.breaks {
				t.Errorf("%s by %s: %+v", name, engine, r.Findings)
			}
		}
	}
}
