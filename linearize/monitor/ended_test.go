package monitor

import (
	"testing"

	"ndkoracle/model"
	"ndkoracle/trace"
)

// found returns what the monitor alone finds in a trace of the corpus, by the contract of a dialect.
func found(t *testing.T, file string, d model.Dialect) []Finding {
	t.Helper()
	traced, err := trace.ReadFile("../../traces/"+file+".ndktrace.jsonl", 0)
	if err != nil {
		t.Fatal(err)
	}
	m := New(traced.Header, d)
	var all []Finding
	for i := range traced.Events {
		all = append(all, m.Take(&traced.Events[i])...)
	}
	return append(all, m.Finish(traced.End)...)
}

// Boundary events decide that a connection ended by a bad token goes on (INV-05), that a request broke its queue pair though it is told as
// flushed (RES-11), that one behind a cancelled request never completes (DEF-04, FLAG-02), and that one reaches an end that has disconnected
// (DISC-10).
func TestEndsThatAreCertain(t *testing.T) {
	ndkpi, verbs := model.Ndkpi(), model.Verbs()
	for _, c := range []struct {
		file, rule string
		by         model.Dialect
	}{
		{"reject/goes-on-after-a-bad-token-failed", "INV-05", ndkpi},
		{"reject/goes-on-after-a-token-of-a-closed-region-failed", "INV-05", ndkpi},
		{"reject/goes-on-after-a-token-that-the-peer-invalidated-failed", "INV-05", ndkpi},
		{"accept/goes-on-after-a-bad-token-that-never-arrived", "", ndkpi},
		{"accept/goes-on-after-a-good-token-failed", "", ndkpi},
		{"reject/verbs-bad-key-told-as-flushed", "RES-11", verbs},
		{"reject/verbs-bad-key-told-as-flushed", "", model.VerbsDevice()},
		{"reject/verbs-write-told-as-flushed-beside-a-message", "RES-11", verbs},
		{"accept/verbs-flushed-as-a-receive-failed", "", verbs},
		{"accept/verbs-flushed-as-the-peer-wrote-badly", "", verbs},
		{"reject/last-send-of-an-ended-connection-lost", "DEF-04", ndkpi},
		{"reject/last-silent-send-of-an-ended-connection-lost", "FLAG-02", ndkpi},
		{"reject/last-silent-write-of-a-lost-connection-lost", "FLAG-02", ndkpi},
		{"accept/silent-write-behind-a-send-that-waited", "", ndkpi},
		{"accept/sends-wait-behind-one-that-failed", "", ndkpi},
		{"accept/deferred-send-waits-on-an-ended-connection", "", ndkpi},
		{"reject/send-of-the-peer-behind-a-disconnect", "DISC-10", ndkpi},
		{"reject/read-of-the-peer-behind-a-disconnect", "DISC-10", ndkpi},
	} {
		all := found(t, c.file, c.by)
		if c.rule == "" && len(all) > 0 || c.rule != "" && (len(all) == 0 || all[0].Rule != c.rule) {
			t.Errorf("%s (%s): %+v, want %q", c.file, c.by.Name, all, c.rule)
		}
	}
}
