package witness_test

import (
	"bytes"
	"strings"
	"testing"

	"ndkoracle/internal/judging"
	"ndkoracle/internal/notation"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
)

// Every trace of the corpus that porcupine accepts has a witness, which the model alone replays.
func TestCorpusHasWitnesses(t *testing.T) {
	accepted, hidden := 0, 0
	for _, row := range judging.Corpus(t) {
		accepts := row.Answer("porcupine").Verdict == row.Verdict
		if row.Verdict != string(verdict.Conformant) || !accepts || strings.HasPrefix(row.File, "known-divergences/") { // which may have none
			continue
		}
		traced := row.Read(t)
		if judging.HasNoWitness(traced) {
			continue
		}
		t.Run(row.File+" "+row.Dialect, func(t *testing.T) {
			file := judging.WitnessOf(t, traced, row.Options())
			replay, err := witness.Verify(bytes.NewReader(file), traced)
			if err != nil {
				lines := strings.Split(string(file), "\n")
				t.Errorf("%v\n%s", err, strings.Join(lines[:min(len(lines), 100)], "\n"))
			}
			accepted, hidden = accepted+1, hidden+replay.Hidden
		})
	}
	t.Logf("%d witnesses with %d hidden steps", accepted, hidden)
	if accepted < 100 || hidden < 1000 {
		t.Errorf("only %d witnesses, and only %d hidden steps in them", accepted, hidden)
	}
}

// A message that was received, though its send is told to have ended otherwise, has made its token invalid: the witness says which (RES-02,
// RES-03), whether the completion tells it or not, and porcupine lets no request invalidate it again (POLL-08).
func TestWitnessesTellInvalidatedTokens(t *testing.T) {
	const (
		cancelled = `"results":[{"wr":"s","status":"STATUS_CANCELLED"}]`
		failed    = `"results":[{"wr":"s","status":"STATUS_IO_TIMEOUT"}]`
		flush     = `NdkFlush "qp":"q"` + notation.Succeeds
		told      = `,"token":7`
		again     = `NdkInvalidate "qp":"p","wr":"i","mr":"m","token":7` + notation.Succeeds
	)
	for _, test := range []struct {
		name, flush, ended, token string
		more                      []string
		rule                      string // conformant where there is none
	}{
		{name: "cancelled", flush: flush, ended: cancelled, token: told},
		{name: "failed", ended: failed, token: told},
		{name: "cancelled, and the token is not told", flush: flush, ended: cancelled},
		{name: "failed, and the token is not told", ended: failed},
		{"cancelled, and invalidated again", flush, cancelled, told, []string{again, `NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"i",` + notation.StatusSuccess + `}]`}, "POLL-08"},
		{"cancelled, and registered again", flush, cancelled, "", []string{`NdkFastRegister "qp":"p","wr":"g","mr":"m"|` + notation.StatusSuccess + told, again,
			`NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"g",` + notation.StatusSuccess + `},{"wr":"i",` + notation.StatusSuccess + `}]`}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := []string{
				`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"` + notation.Succeeds, `NdkAccept "qp":"p","conn":"n"` + notation.Succeeds,
				`NdkFastRegister "qp":"p","wr":"f","mr":"m"|` + notation.StatusSuccess + told, `NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"f",` + notation.StatusSuccess + `}]`,
				`NdkReceive "qp":"p","wr":"r"` + notation.Succeeds, `NdkSendAndInvalidate "qp":"q","wr":"s","token":7` + notation.Succeeds,
			}
			if test.flush != "" {
				events = append(events, test.flush)
			}
			events = append(events, `NdkGetCqResults "cq":"c","n":4|`+test.ended,
				`NdkGetCqResultsEx "cq":"d","n":4|"results":[{"wr":"r",`+notation.StatusSuccess+`,"type":"ReceiveAndInvalidate"`+test.token+`}]`)
			traced := notation.Read(t, "ndkpi", notation.After(append(events, test.more...)...)())
			if test.rule != "" {
				if r := linearize.Check(t.Context(), traced, linearize.Options{Engine: linearize.Porcupine}); len(r.Findings) != 1 || r.Findings[0].Rule != test.rule {
					t.Errorf("%s, want %s: %+v", r.Verdict, test.rule, r.Findings)
				}
				return
			}
			file := judging.WitnessOf(t, traced, linearize.Options{})
			if _, err := witness.Verify(bytes.NewReader(file), traced); err != nil {
				t.Errorf("%v\n%s", err, file)
			}
		})
	}
}

// A receive of which nothing is told takes no message before that was sent (POLL-05), and one that succeeds in libibverbs does so once its QP
// is connected (POST-08): witnesses of both hold.
func TestWitnessesOfReceives(t *testing.T) {
	for _, test := range []struct {
		name, dialect string
		events        []string
	}{
		{"a callback before the only send", "ndkpi", notation.After(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+notation.Succeeds, `NdkAccept "qp":"p","conn":"n"`+notation.Succeeds,
			`NdkArmCq "cq":"d","type":"ANY"|`, `NdkReceive "qp":"p","wr":"r"`+notation.Succeeds, `NdkCqNotificationCallback "cq":"d","status":"STATUS_SUCCESS"|`,
			`NdkSend "qp":"q","wr":"s"`+notation.Succeeds, `NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s","status":"STATUS_IO_TIMEOUT"}]`)()},
		{"a receive before the connection", "verbs", notation.Lines(`ibv_create_cq "cq":"c","depth":4|`, `ibv_create_qp "qp":"q","recv_cq":"c","send_cq":"c","sq_sig_all":true|`,
			`ibv_post_recv "qp":"q","wrs":[{"wr":"r"}]|`, `ibv_poll_cq "cq":"c","n":4|"results":[]`, `ibv_modify_qp "qp":"q","conn":"n","state":"RTR"|`,
			`ibv_poll_cq "cq":"c","n":4|"results":[{"wr":"r","status":"IBV_WC_SUCCESS"}]`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := notation.Read(t, test.dialect, test.events)
			file := judging.WitnessOf(t, traced, linearize.Options{})
			if _, err := witness.Verify(bytes.NewReader(file), traced); err != nil {
				t.Errorf("%v\n%s", err, file)
			}
		})
	}
}

// A message whose send is told to have ended otherwise is solicited as all are that the peer had sent by then (ARM-10, ARM-12): a witness is refused
// that has it otherwise, and accepted either way where they are not alike.
func TestWitnessTakesSolicitedMessages(t *testing.T) {
	const plain, solicits = `NdkSend "qp":"q","wr":"s"` + notation.Succeeds, `NdkSend "qp":"q","wr":"e","flags":["SEND_AND_SOLICIT_EVENT"]` + notation.Succeeds
	for _, test := range []struct {
		name  string
		sends []string
		alike bool
	}{
		{"not solicited", []string{plain}, true},
		{"solicited", []string{solicits}, true},
		{"one of each", []string{plain, solicits}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := append([]string{`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"` + notation.Succeeds, `NdkAccept "qp":"p","conn":"n"` + notation.Succeeds,
				`NdkReceive "qp":"p","wr":"r"` + notation.Succeeds}, test.sends...)
			var results []string
			for _, send := range test.sends {
				name := map[string]string{plain: "s", solicits: "e"}[send]
				results = append(results, `{"wr":"`+name+`","status":"STATUS_CANCELLED"}`)
			}
			events = append(events, `NdkFlush "qp":"q"`+notation.Succeeds, `NdkGetCqResults "cq":"c","n":4|"results":[`+strings.Join(results, ",")+`]`,
				`NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"r",`+notation.StatusSuccess+`}]`)
			traced := notation.Read(t, "ndkpi", notation.After(events...)())
			file := string(judging.WitnessOf(t, traced, linearize.Options{}))
			const without, with = `"wr":"r","outcome":"SUCCESS"`, `"wr":"r","outcome":"SUCCESS","solicited":true`
			other := strings.Replace(file, without, with, 1)
			if strings.Contains(file, with) {
				other = strings.Replace(file, with, without, 1)
			}
			if other == file {
				t.Fatal("nothing was altered")
			}
			if _, err := witness.Verify(strings.NewReader(file), traced); err != nil {
				t.Errorf("%v\n%s", err, file)
			}
			_, err := witness.Verify(strings.NewReader(other), traced)
			if refused := err != nil && strings.Contains(err.Error(), "solicited is not as all are"); refused != test.alike || err != nil && !refused {
				t.Errorf("altered: %v\n%s", err, other)
			}
		})
	}
}
