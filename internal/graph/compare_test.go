package graph

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ndkoracle/internal/clause"
	"ndkoracle/internal/tlc"
	"ndkoracle/model"
	"ndkoracle/model/mc"
)

// small is a configuration in which every action of a CQ is soon reached.
const small = `SPECIFICATION Safety
CONSTANTS FreshAtArm = "MUST" OldAtArm = "MAY" SecondArm = "MERGE" ErrorsArm = TRUE Serialised = TRUE ExtraEvent = FALSE PostsInError = FALSE
CONSTANTS Reading <- Default
CONSTANTS CQ = {"q"} Depth = 1 Room = 1 MaxDue = 1 Depths = {} Errors = TRUE Closing = TRUE History = FALSE
CHECK_DEADLOCK FALSE
`

// An edit is that a text of a module has become another, where small or a configuration of tla/ is read.
type edit struct{ configuration, module, old, new string }

// ofCq is an edit of CompletionQueue.
func ofCq(old, new string) edit { return edit{"small", "CompletionQueue", old, new} }

// readModel reads the model's text once: that takes as long as TLC.
var readModel = sync.OnceValues(func() (*clause.Model, error) { return clause.ReadModel(filepath.Join("..", "..", "model")) })

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
	difference, err := Compare(machine, g)
	if difference == nil || err != nil {
		return nil, err
	}
	of, err := readModel()
	if err != nil {
		t.Fatal(err)
	}
	return difference, difference.Explain(t.Context(), r, c, of)
}

// The contract as it is: the same graph in TLA+ and in Go.
func TestSame(t *testing.T) {
	difference, err := compare(t, ofCq("CqInit ==", "CqInit =="))
	if difference != nil || err != nil {
		t.Errorf("%v\n%s", err, difference)
	}
}

var lineNumbers = regexp.MustCompile(`(\.(?:tla|go):)[0-9-]+`)

// One operator of the specification is another, in any of the modules that have actions: the comparison finds it, and the way that it prints leads there, with the clause
// of either side.
func TestDifferenceLeadsToTheOperator(t *testing.T) {
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
     What is evaluated there, the likest first:
       tla/CompletionQueue.tla:`, ` CanPlace: Len(r.entries) <= Capacity(r)
`, `
     In the model it cannot be taken: ARM-16: `, `
     What can refuse it so:
       model/cq.go:`, ` place: len(q.Entries) >= capacity
     Where`}},
		"a guard that is stronger": {ofCq(`CanFinishClose(r) == r.open`, `CanFinishClose(r) == r.health = "OK" /\ r.open`), []string{`
  2  MCNdkCloseCq("q")
       cq.q.open = "CLOSING"
  3  MCInternalError("q")
       cq.q.health = "STATUS_INTERNAL_ERROR"
Then MCNdkCloseCompletion("q") differs.
     In tla/ it cannot be taken.
     What is false there:
       tla/CompletionQueue.tla:`, ` CanFinishClose: r.health = "OK"
     Where`, `
     Only the model leads to
       cq.q.open = "CLOSED"
     What could refuse it, the likest first:
`, ` closeCompletion: q.Open != Closing
`, ` closeCompletion: q.Running
`, ` closeCompletion: q.Resize != NotResizing
     Where`}},
		"a guard of one of two ways": {ofCq(`/\ r.due > 0`, `/\ r.due > 1`), []string{`
Then MCNdkCqNotificationCallbackEnter("q", "STATUS_SUCCESS") differs.
     In tla/ it cannot be taken.
     What is false there:
       tla/CompletionQueue.tla:`, ` NdkCqNotificationCallbackEnter: r.due > 1
       tla/CompletionQueue.tla:`, ` NdkCqNotificationCallbackEnter: status = r.health
     Where`, `
     What could refuse it, the likest first:
`, ` enter: status == OK && q.Due == 0
`}},
		"a condition": {ofCq(`IF Strength(second) > Strength(first)`, `IF Strength(second) < Strength(first)`), []string{`
Then MCNdkArmCq("q", `, `
     What sets cq.q.arm:
       tla/CompletionQueue.tla:`, ` AfterArm: [r EXCEPT !.arm = Merge(@, type), `, `
     What is evaluated besides, the nearest first:
`, ` Merge: Strength(second) < Strength(first)
`, `
     What can set cq.q.arm:
`, ` arm: q.Arm = Stronger(q.Arm, t)
`, ` Stronger: return max(a, b)
`}},
		"an effect": {ofCq(`!.errorDue = FALSE, !.reported = TRUE`, `!.errorDue = FALSE, !.reported = FALSE`), []string{`
Then MCNdkCqNotificationCallbackEnter("q", "STATUS_INTERNAL_ERROR") differs.
     Only tla/ leads to
       cq.q.errorDue = FALSE
       cq.q.running = TRUE
     What sets cq.q.reported:
       tla/CompletionQueue.tla:`, ` NdkCqNotificationCallbackEnter: Become(q, {[r EXCEPT !.errorDue = FALSE, !.reported = FALSE, !.due = d] : d \in Beside(r.due)})
     What`, `
     Only the model leads to
       cq.q.errorDue = FALSE
       cq.q.reported = TRUE
       cq.q.running = TRUE
     What can set cq.q.reported:
       model/cq.go:`, ` enter: q.ErrorDue, q.Reported = false, true
     What`}},
		"the initial state": {ofCq(`health |-> "OK", reported |-> FALSE`, `health |-> "OK", reported |-> TRUE`), []string{`The initial states differ.
     Only tla/ leads to
       cq = [q |-> [arm |-> "NONE", asked |-> 0, depth |-> 1, due |-> 0, entries |-> <<>>, errorDue |-> FALSE, fresh |-> 0, health |-> "OK", open |-> "OPEN", reported |-> TRUE, resize |-> "NONE", running |-> FALSE, taken |-> {}, uncounted |-> FALSE, waiting |-> 0]]
     What sets cq, cq.reported:
       tla/CompletionQueue.tla:`, ` NewCq: [entries |-> <<>>, `, ` reported |-> TRUE, `, `
     Only the model leads to
       cq = [q |-> [arm |-> "NONE", asked |-> 0, depth |-> 1, due |-> 0, entries |-> <<>>, errorDue |-> FALSE, fresh |-> 0, health |-> "OK", open |-> "OPEN", reported |-> FALSE, resize |-> "NONE", running |-> FALSE, taken |-> {}, uncounted |-> FALSE, waiting |-> 0]]
     What can set cq, cq.reported:
       nothing by its own name
     What may be done besides, the nearest first:
`, ` Init: s := State{Cqs: make([]Cq, len(c.Depth)), `}},
		"a guard of a QP": {edit{"QP-reading-A29-told", "QueuePair", `state = "IDLE" => queue = "receive"`, `state = "BROKEN" => queue = "receive"`}, []string{`
Then MCPost("a", "Send", FALSE, FALSE, FALSE) differs.
     Only tla/ leads to
`, `
     What is evaluated there, the likest first:
       tla/QueuePair.tla: CanPost: state = "BROKEN IDLE" => queue = "receive" \/ PostsInError
       tla/QueuePair.tla: CanPost: state = "BROKEN" => queue = "receive"
`, `
     In the model it cannot be taken: POST-08: the QP is not connected.
     What can refuse it so:
       model/qp.go: post: q == Initiator && p.State.Unconnected() && !(p.State == BrokenIdle && d.PostsInError)
`}},
		"an effect on a QP": {edit{"QP-reading-A29-told", "QueuePair", `ELSE Append(Indicated(queue), [r`, `ELSE Append(queue, [r`}, []string{`
  3  MCPost("a", "Send", FALSE, FALSE, TRUE)
`, `
Then MCPost("a", "Send", FALSE, FALSE, FALSE) differs.
     Only tla/ leads to
       qp.a.initiator = <<[fence |-> FALSE, op |-> "Send", phase |-> "DEFERRED", `, `
     What sets qp.a.initiator, qp.a.initiator.phase:
`, `
       tla/QueuePair.tla: AfterPost: Append(queue, [r EXCEPT !.phase = "INDICATED"])
`, `
     What can set qp.a.initiator, qp.a.initiator.phase:
`, `
       model/qp.go: indicate: p.Initiator[i].Phase = Indicated
     What may`}},
		"a guard of a token": {edit{"Ndk-reading-A8-inline", "Tokens", `CanInvalidate(t) == token[t] # "INVALID"`, `CanInvalidate(t) == token[t] # "VALID"`}, []string{`
Then MCExecute("b", "initiator", 2, "SUCCESS") differs.
     In tla/ it cannot be taken.
     What is false there:
       tla/Tokens.tla: CanInvalidate: token[t] # "VALID"
     Where`, `
     What could refuse it, the likest first:
       model/token.go: executeToken: r.Op == Invalidate && dead
`}},
		"an effect on a token": {edit{"Ndk-reading-A8-inline", "Tokens", `Become(r.token, "VALID")`, `Become(r.token, "UNDEFINED")`}, []string{`
Then MCExecute("b", "initiator", 1, "SUCCESS") differs.
`, `
       token.t = "UNDEFINED"
     What sets token.t:
       tla/Tokens.tla: Become: token' = [token EXCEPT ![t] = validity]
     What is evaluated besides, the nearest first:
       tla/Tokens.tla: Execute: Become(r.token, "UNDEFINED")
`, `
       token.t = "VALID"
     What can set token.t:
`, `
       model/token.go: withToken: s.Tokens[t] = v
     What may be done besides, the nearest first:
`, `
       model/token.go: executeToken: return s.withToken(r.Token, Valid), nil
`}},
		"a guard of two QPs": {edit{"Ndk-overflow", "Ndk", `ByItself(r) == ~Qp!IsMessage(r)`, `ByItself(r) == Qp!IsMessage(r)`}, []string{`
Then MCExecute("a", "initiator", 1, "SUCCESS") differs.
`, `
     What is evaluated there, the likest first:
       tla/Ndk.tla: Execute: outcome = "SUCCESS" => ByItself(qp[p][queue][i]) \/ Qp!Unacknowledged(qp[p][queue][i])
`, `
       tla/Ndk.tla: ByItself: Qp!IsMessage(r) /\ r.op # "Receive"
`, `
     In the model it cannot be taken: POLL-05: a message succeeds only with the receive that it takes, and a receive only with a message.
     What can refuse it so:
       model/step.go: execute: c.Composed && a.Outcome == SUCCESS && r.Phase != Unacknowledged && (r.Op.IsSend() || r.Op == ReceiveOp)
     Where`}},
		"an effect on the QPs of a CQ": {edit{"Ndk-overflow", "Ndk", `/\ Qp!Break(Users(q))    \*`, `/\ Qp!Break({})    \*`}, []string{`
Then MCOverflow("qr") differs.
`, `
     What sets qp.a.state, qp.b.state:
       tla/QueuePair.tla: Break: `, `
     What is evaluated besides, the nearest first:
       tla/Ndk.tla: Overflow: Qp!Break({})
`, `
     What may be done besides, the nearest first:
       model/step.go: failCq: s = s.withQp(i, s.Qps[i].breakDown())
`}},
	} {
		t.Run(name, func(t *testing.T) {
			difference, err := compare(t, test.edit)
			if err != nil || difference == nil {
				t.Fatalf("nothing differs, %v", err)
			}
			way := lineNumbers.ReplaceAllString(difference.String(), "$1")
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
		"Ndk-reading-A8-inline", "Ndk-overflow", "Ndk-reading-A21-dropped", "Ndk-abort-sends", "Ndk-resize", "Ndk-tokens"} {
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
