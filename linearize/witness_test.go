package linearize

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ndkoracle/linearize/verdict"
	"ndkoracle/linearize/witness"
	"ndkoracle/model"
	"ndkoracle/trace"
	"ndkoracle/traces"
)

// A corpusRow is one of the manifest, whose trace can be judged.
type corpusRow struct{ traces.Row }

func (r corpusRow) options() Options {
	return Options{Dialect: r.Dialect, Assume: r.Assume, DeviceLevel: r.DeviceLevel}
}

func corpusRows(t testing.TB) []corpusRow {
	t.Helper()
	rows, err := traces.Rows(os.DirFS("../traces"))
	if err != nil {
		t.Fatal(err)
	}
	var all []corpusRow
	for _, r := range rows {
		all = append(all, corpusRow{r})
	}
	return all
}

func (r corpusRow) read(t testing.TB) *trace.Trace {
	t.Helper()
	traced, err := trace.ReadFile(filepath.Join("../traces", r.File), 0)
	if err != nil {
		t.Fatal(err)
	}
	return traced
}

// witnessOf returns the file of a witness of a trace that is conformant.
func witnessOf(t *testing.T, traced *trace.Trace, o Options) []byte {
	t.Helper()
	o.Witness = true
	r := Check(context.Background(), traced, o)
	if r.Verdict != verdict.Conformant {
		t.Fatalf("verdict %s: %+v", r.Verdict, r.Findings)
	}
	return writeWitness(t, traced, o, r)
}

func writeWitness(t interface{ Fatal(...any) }, traced *trace.Trace, o Options, r *verdict.Report) []byte {
	var file bytes.Buffer
	claim := witness.Claim{Dialect: cmp.Or(o.Dialect, traced.Header.Dialect), DeviceLevel: o.DeviceLevel, Assume: o.Assume, Order: r.Order}
	if err := witness.Write(&file, traced, claim, r.Witness); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Every random run that porcupine accepts has a witness that the model alone replays: legal and spoilt ones, of all dialects,
// taken down by the provider and by the consumer, with and without points.
func TestRandomRunsHaveWitnesses(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r, o, report := acceptedRun(t, d)
				file := writeWitness(t, r.trace, o, report)
				if _, err := witness.Verify(bytes.NewReader(file), r.trace); err != nil {
					t.Fatalf("%v\n%s\n%s", err, file, r)
				}
			})
		})
	}
}

// acceptedRun returns a random run that porcupine accepts: the first of some.
func acceptedRun(t *rapid.T, d model.Dialect) (*run, Options, *verdict.Report) {
	o := Options{MaxMemory: 64 << 20, Witness: true, DeviceLevel: d.FailsAsFlushed}
	for range 50 {
		r := newRun(shrinking{t}, d)
		r.walk(rapid.IntRange(0, 25).Draw(t, "steps"))
		r.conclude(shrinking{t})
		if report := Check(context.Background(), r.trace, o); report.Verdict == verdict.Conformant && report.Witness != nil { // porcupine may leave open what stream decides
			return r, o, report
		}
	}
	t.Fatal("none of 50 random runs is conformant")
	return nil, o, nil
}

// Every trace of the corpus that porcupine accepts has a witness, which the model alone replays.
func TestCorpusHasWitnesses(t *testing.T) {
	accepted, hidden := 0, 0
	for _, row := range corpusRows(t) {
		accepts := row.Answer("porcupine").Verdict == row.Verdict
		if row.Verdict != string(verdict.Conformant) || !accepts || strings.HasPrefix(row.File, "known-divergences/") { // which may have none
			continue
		}
		t.Run(row.File+" "+row.Dialect, func(t *testing.T) {
			traced := row.read(t)
			file := witnessOf(t, traced, row.options())
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
		flush     = `NdkFlush "qp":"q"` + ok
		told      = `,"token":7`
		again     = `NdkInvalidate "qp":"p","wr":"i","mr":"m","token":7` + ok
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
		{"cancelled, and invalidated again", flush, cancelled, told, []string{again, `NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"i",` + called + `}]`}, "POLL-08"},
		{"cancelled, and registered again", flush, cancelled, "", []string{`NdkFastRegister "qp":"p","wr":"g","mr":"m"|` + called + told, again,
			`NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"g",` + called + `},{"wr":"i",` + called + `}]`}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := []string{
				`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"` + ok, `NdkAccept "qp":"p","conn":"n"` + ok,
				`NdkFastRegister "qp":"p","wr":"f","mr":"m"|` + called + told, `NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"f",` + called + `}]`,
				`NdkReceive "qp":"p","wr":"r"` + ok, `NdkSendAndInvalidate "qp":"q","wr":"s","token":7` + ok,
			}
			if test.flush != "" {
				events = append(events, test.flush)
			}
			events = append(events, `NdkGetCqResults "cq":"c","n":4|`+test.ended,
				`NdkGetCqResultsEx "cq":"d","n":4|"results":[{"wr":"r",`+called+`,"type":"ReceiveAndInvalidate"`+test.token+`}]`)
			traced := readLines(t, "ndkpi", after(append(events, test.more...)...)())
			if test.rule != "" {
				if r := Check(t.Context(), traced, Options{Engine: Porcupine}); len(r.Findings) != 1 || r.Findings[0].Rule != test.rule {
					t.Errorf("%s, want %s: %+v", r.Verdict, test.rule, r.Findings)
				}
				return
			}
			file := witnessOf(t, traced, Options{})
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
		{"a callback before the only send", "ndkpi", after(`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"`+ok, `NdkAccept "qp":"p","conn":"n"`+ok,
			`NdkArmCq "cq":"d","type":"ANY"|`, `NdkReceive "qp":"p","wr":"r"`+ok, `NdkCqNotificationCallback "cq":"d","status":"STATUS_SUCCESS"|`,
			`NdkSend "qp":"q","wr":"s"`+ok, `NdkGetCqResults "cq":"c","n":4|"results":[{"wr":"s","status":"STATUS_IO_TIMEOUT"}]`)()},
		{"a receive before the connection", "verbs", lines(`ibv_create_cq "cq":"c","depth":4|`, `ibv_create_qp "qp":"q","recv_cq":"c","send_cq":"c","sq_sig_all":true|`,
			`ibv_post_recv "qp":"q","wrs":[{"wr":"r"}]|`, `ibv_poll_cq "cq":"c","n":4|"results":[]`, `ibv_modify_qp "qp":"q","conn":"n","state":"RTR"|`,
			`ibv_poll_cq "cq":"c","n":4|"results":[{"wr":"r","status":"IBV_WC_SUCCESS"}]`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := readLines(t, test.dialect, test.events)
			file := witnessOf(t, traced, Options{})
			if _, err := witness.Verify(bytes.NewReader(file), traced); err != nil {
				t.Errorf("%v\n%s", err, file)
			}
		})
	}
}

// A message whose send is told to have ended otherwise is solicited as all are that the peer had sent by then (ARM-10, ARM-12): a witness is refused
// that has it otherwise, and accepted either way where they are not alike.
func TestWitnessTakesSolicitedMessages(t *testing.T) {
	const plain, solicits = `NdkSend "qp":"q","wr":"s"` + ok, `NdkSend "qp":"q","wr":"e","flags":["SEND_AND_SOLICIT_EVENT"]` + ok
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
			events := append([]string{`NdkCreateQp "qp":"p","receive_cq":"d","initiator_cq":"d"` + ok, `NdkAccept "qp":"p","conn":"n"` + ok,
				`NdkReceive "qp":"p","wr":"r"` + ok}, test.sends...)
			var results []string
			for _, send := range test.sends {
				name := map[string]string{plain: "s", solicits: "e"}[send]
				results = append(results, `{"wr":"`+name+`","status":"STATUS_CANCELLED"}`)
			}
			events = append(events, `NdkFlush "qp":"q"`+ok, `NdkGetCqResults "cq":"c","n":4|"results":[`+strings.Join(results, ",")+`]`,
				`NdkGetCqResults "cq":"d","n":4|"results":[{"wr":"r",`+called+`}]`)
			traced := readLines(t, "ndkpi", after(events...)())
			file := string(witnessOf(t, traced, Options{}))
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
