package graph

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/internal/tlc"
	"ndkoracle/model"
	"ndkoracle/model/mc"
)

// small is a configuration in which every action of a CQ is soon reached.
const small = `SPECIFICATION Safety
CONSTANTS Dialect <- Ndkpi Reading <- Default
CONSTANTS CQ = {"q"} Depth = 1 Room = 1 MaxDue = 1 Depths = {} Errors = TRUE Closing = TRUE History = FALSE
CHECK_DEADLOCK FALSE
`

// An edit is that a text of a module has become another, where small or a configuration of tla/ is read.
type edit struct{ configuration, module, old, new string }

// ofCq is an edit of CompletionQueue.
func ofCq(old, new string) edit { return edit{"small", "CompletionQueue", old, new} }

// compare compares the model with an edited copy of the specification.
func compare(t *testing.T, e edit) (*Difference, error) {
	t.Helper()
	build := filepath.Join("..", "..", "build", "tlc")
	jar, err := tlc.FindJar(t.Context(), build)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := tlc.Runner{Jar: jar, Dir: dir, Build: build, Timeout: 5 * time.Minute}
	if err := r.KeepClasses(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Build = t.TempDir() // its graph is not one to keep
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "tla"))); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(dir, e.module+".tla")
	text, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), e.old) != 1 {
		t.Fatalf("%s is not there once", e.old)
	}
	if err := os.WriteFile(module, []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "small.cfg"), []byte(small), 0o644); err != nil {
		t.Fatal(err)
	}
	manifest, err := tlc.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest = append(manifest, tlc.Configuration{Name: "small", Module: "MCCompletionQueue"})
	c := manifest[slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == e.configuration })]
	machine, err := mc.Read(os.DirFS(dir), c.Module, c.Name)
	if err != nil {
		t.Fatal(err)
	}
	g, err := r.Graph(t.Context(), c, machine.Actions())
	if err != nil {
		t.Fatal(err)
	}
	return Compare(machine, g)
}

// The contract as it is: the same graph in TLA+ and in Go.
func TestSame(t *testing.T) {
	difference, err := compare(t, ofCq("CqInit ==", "CqInit =="))
	if difference != nil || err != nil {
		t.Errorf("%v\n%s", err, difference)
	}
}

// An operator of the specification is replaced, in each module that has actions: the comparison finds it, and prints the way there,
// what the step does on either side, and the rule by which the model refuses it.
func TestDifferenceLeadsToTheStep(t *testing.T) {
	for name, test := range map[string]struct {
		edit
		want []string // one after the other
	}{
		"a guard that is weaker": {ofCq("Len(r.entries) < Capacity", "Len(r.entries) <= Capacity"), []string{`
       inside = [q |-> 0]
  2  MCPlace("q", [qp |-> "a", queue |-> "receive", req |-> 0, status |-> "SUCCESS", type |-> "Receive", solicited |-> FALSE, token |-> "no token"])
       cq.q.entries = <<[qp |-> "a", queue |-> "receive", req |-> 0, solicited |-> FALSE, status |-> "SUCCESS", token |-> "no token", type |-> "Receive"]>>
       cq.q.fresh = 1
Then MCPlace("q", [qp |-> "a", queue |-> "receive", req |-> 0, status |-> "SUCCESS", type |-> "Receive", solicited |-> FALSE, token |-> "no token"]) differs.
     Only tla/ leads to
       cq.q.entries = <<[`, `
     In the model it cannot be taken: ARM-16: `}},
		"a guard that is stronger": {ofCq(`CanFinishClose(r) == r.open`, `CanFinishClose(r) == r.health = "OK" /\ r.open`), []string{`
  2  MCNdkCloseCq("q")
       cq.q.open = "CLOSING"
  3  MCInternalError("q")
       cq.q.health = "STATUS_INTERNAL_ERROR"
Then MCNdkCloseCompletion("q") differs.
     In tla/ it cannot be taken.
     Only the model leads to
       cq.q.open = "CLOSED"
`}},
		"a guard of one of two ways": {ofCq(`/\ r.due > 0`, `/\ r.due > 1`), []string{`
Then MCNdkCqNotificationCallbackEnter("q", "STATUS_SUCCESS") differs.
     In tla/ it cannot be taken.
     Only the model leads to
`}},
		"a condition": {ofCq(`IF Strength(second) > Strength(first)`, `IF Strength(second) < Strength(first)`), []string{`
Then MCNdkArmCq("q", `, `
     Only tla/ leads to
`, `
     Only the model leads to
       cq.q.arm = `}},
		"an effect": {ofCq(`!.errorDue = FALSE, !.reported = TRUE`, `!.errorDue = FALSE, !.reported = FALSE`), []string{`
Then MCNdkCqNotificationCallbackEnter("q", "STATUS_INTERNAL_ERROR") differs.
     Only tla/ leads to
       cq.q.errorDue = FALSE
       cq.q.running = TRUE
     Only the model leads to
       cq.q.errorDue = FALSE
       cq.q.reported = TRUE
       cq.q.running = TRUE
`}},
		"the initial state": {ofCq(`health |-> "OK", reported |-> FALSE`, `health |-> "OK", reported |-> TRUE`), []string{`The initial states differ.
     Only tla/ leads to
       cq = [q |-> [arm |-> "NONE", asked |-> 0, depth |-> 1, due |-> 0, entries |-> <<>>, errorDue |-> FALSE, fresh |-> 0, health |-> "OK", open |-> "OPEN", reported |-> TRUE, resize |-> "NONE", running |-> FALSE, taken |-> {}, uncounted |-> FALSE, waiting |-> 0]]
     Only the model leads to
       cq = [q |-> [arm |-> "NONE", asked |-> 0, depth |-> 1, due |-> 0, entries |-> <<>>, errorDue |-> FALSE, fresh |-> 0, health |-> "OK", open |-> "OPEN", reported |-> FALSE, resize |-> "NONE", running |-> FALSE, taken |-> {}, uncounted |-> FALSE, waiting |-> 0]]
`}},
		"a guard of a QP": {edit{"QP-reading-A29-told", "QueuePair", `state = "IDLE" => queue = "receive"`, `state = "BROKEN" => queue = "receive"`}, []string{`
Then MCPost("a", "Send", FALSE, FALSE, FALSE) differs.
     Only tla/ leads to
`, `
     In the model it cannot be taken: POST-08: the QP is not connected.
`}},
		"an effect on a QP": {edit{"QP-reading-A29-told", "QueuePair", `ELSE Append(Indicated(queue), [r`, `ELSE Append(queue, [r`}, []string{`
  3  MCPost("a", "Send", FALSE, FALSE, TRUE)
`, `
Then MCPost("a", "Send", FALSE, FALSE, FALSE) differs.
     Only tla/ leads to
       qp.a.initiator = <<[fence |-> FALSE, op |-> "Send", phase |-> "DEFERRED", `, `
     Only the model leads to
       qp.a.initiator = <<[fence |-> FALSE, op |-> "Send", phase |-> "INDICATED", `}},
		"a guard of a token": {edit{"Ndk-reading-A8-inline", "Tokens", `CanInvalidate(t) == token[t] # "INVALID"`, `CanInvalidate(t) == token[t] # "VALID"`}, []string{`
Then MCExecute("b", "initiator", 2, "SUCCESS") differs.
     In tla/ it cannot be taken.
     Only the model leads to
`}},
		"an effect on a token": {edit{"Ndk-reading-A8-inline", "Tokens", `Become(r.token, "VALID")`, `Become(r.token, "UNDEFINED")`}, []string{`
Then MCExecute("b", "initiator", 1, "SUCCESS") differs.
`, `
       token.t = "UNDEFINED"
     Only the model leads to
`, `
       token.t = "VALID"
`}},
		"a guard of two QPs": {edit{"Ndk-overflow", "Ndk", `ByItself(r) == ~Qp!IsMessage(r)`, `ByItself(r) == Qp!IsMessage(r)`}, []string{`
Then MCExecute("a", "initiator", 1, "SUCCESS") differs.
`, `
     In the model it cannot be taken: POLL-05: a message succeeds only with the receive that it takes, and a receive only with a message.
`}},
		"an effect on the QPs of a CQ": {edit{"Ndk-overflow", "Ndk", `/\ Qp!Break(Users(q))    \*`, `/\ Qp!Break({})    \*`}, []string{`
Then MCOverflow("qr") differs.
     Only tla/ leads to
`, `
     Only the model leads to
`, `
       qp.a.state = "BROKEN"
       qp.b.state = "BROKEN"
`}},
	} {
		t.Run(name, func(t *testing.T) {
			difference, err := compare(t, test.edit)
			if err != nil || difference == nil {
				t.Fatalf("nothing differs, %v", err)
			}
			way := difference.String()
			rest := way
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("the way does not lead there:\n%swant\n%s", way, want)
				}
				rest = want[len(want)-1:] + after
			}
		})
	}
}

// without returns the graph without the steps of an operator, as if its action could never be taken.
func without(g *tlc.Graph, operator string) *tlc.Graph {
	less := *g
	less.First, less.Taken, less.To = nil, nil, nil
	for state := range g.States() {
		less.First = append(less.First, uint32(len(less.To)))
		for k := g.First[state]; k < g.First[state+1]; k++ {
			if !strings.HasPrefix(g.Actions[g.Taken[k]], operator+"(") {
				less.Taken, less.To = append(less.Taken, g.Taken[k]), append(less.To, g.To[k])
			}
		}
	}
	less.First = append(less.First, uint32(len(less.To)))
	return &less
}

// Every action of the contract is compared: where one of the sides has its steps, and the other has not, it is the difference.
func TestEveryActionIsCompared(t *testing.T) {
	tla, build := filepath.Join("..", "..", "tla"), filepath.Join("..", "..", "build", "tlc")
	jar, err := tlc.FindJar(t.Context(), build)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := tlc.ReadManifest(tla)
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, name := range model.Names() {
		missing["MC"+string(name)] = true
	}
	r := tlc.Runner{Jar: jar, Dir: tla, Build: build, Timeout: 5 * time.Minute}
	for _, name := range []string{"CQ-verbs-live", "CQ-reading-A24-2", "QP-reading-A15-cancelled", "QP-reading-A29-told",
		"Ndk-reading-A8-inline", "Ndk-overflow", "Ndk-reading-A21-dropped", "Ndk-abort-sends", "Ndk-resize", "Ndk-tokens", "Ndk-token-dies",
		"SRQ-verbs-live", "SRQ-reading-A18-taken"} {
		c := manifest[slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == name })]
		machine, err := mc.Read(os.DirFS(tla), c.Module, c.Name)
		if err != nil {
			t.Fatal(err)
		}
		g, err := r.Graph(t.Context(), c, machine.Actions())
		if err != nil {
			t.Fatal(err)
		}
		for _, taken := range g.Taken {
			operator, _, _ := strings.Cut(g.Actions[taken], "(")
			if !missing[operator] {
				continue
			}
			delete(missing, operator)
			d, err := Compare(machine, without(g, operator))
			if err != nil || d == nil || !strings.HasPrefix(d.Action, operator+"(") || d.Both > 0 || len(d.InTla) > 0 || len(d.InModel) == 0 {
				t.Errorf("%s, without %s in tla/: %v\n%s", name, operator, err, d)
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("actions that no configuration takes: %v", slices.Sorted(maps.Keys(missing)))
	}
}
