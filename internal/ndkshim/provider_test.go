package ndkshim

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ndkoracle/internal/programs"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

// libraries are the reference provider with its seeded bugs, as libraries for programs in C: one for each environment that Go builds them in.
var libraries = struct {
	sync.Mutex
	folder string
	built  map[string]string
}{built: map[string]string{}}

// TestMain removes the libraries.
func TestMain(m *testing.M) {
	code := m.Run()
	if libraries.folder != "" {
		_ = os.RemoveAll(libraries.folder)
	}
	os.Exit(code)
}

// library returns the library that go build makes in an environment.
func library(t testing.TB, environment ...string) string {
	t.Helper()
	libraries.Lock()
	defer libraries.Unlock()
	key := strings.Join(environment, " ")
	if libraries.built[key] != "" {
		return libraries.built[key]
	}
	if libraries.folder == "" {
		folder, err := os.MkdirTemp("", "ndkshim-test")
		if err != nil {
			t.Fatal(err)
		}
		libraries.folder = folder
	}
	to := filepath.Join(libraries.folder, fmt.Sprintf("provider%d.a", len(libraries.built)))
	build := exec.Command("go", "build", "-buildmode=c-archive", "-tags=seededbugs", "-o", to, "ndkoracle/internal/cprovider")
	build.Env = append(append(os.Environ(), "CGO_ENABLED=1"), environment...)
	programs.Run(t, build)
	libraries.built[key] = to
	return to
}

// consumed runs a case of the consumer and returns what the shim has recorded. runner is what runs the program, or nothing.
func consumed(t testing.TB, consumer []string, bug, name string, seed int) *trace.Trace {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	args := append(slices.Clone(consumer), name, strconv.Itoa(seed), file)
	programs.Run(t, with(exec.Command(args[0], args[1:]...), "NDK_SEEDED_BUG="+bug))
	return read(t, file)
}

func judge(whole *trace.Trace) *verdict.Report {
	return linearize.Check(context.Background(), whole, linearize.Options{})
}

// broken is the rule that each seeded bug breaks, as package conformance has it where the reference provider is recorded in Go.
func broken(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(root + "/conformance/bugs_test.go")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t"([a-z-]+)": +"([A-Z]+-[0-9]+)",$`).FindAllStringSubmatch(string(text), -1) {
		rules[m[1]] = m[2]
	}
	return rules
}

// shows is the case of the consumer that shows each seeded bug.
var shows = map[string]string{
	"error-not-solicited": "flushed-receive", "solicit-bit-ignored": "solicited", "last-arm-wins": "stronger-first", "merge-equality": "weaker-first",
	"disarm-after-callback": "armed-in-callback", "arm-takes-effect-at-get": "armed-once", "third-arm-breaks": "armed-thrice",
	"second-arm-dropped": "weaker-first", "no-fire-at-arm": "armed-over-fresh", "fire-again-for-reported": "armed-over-reported",
	"two-callbacks-one-arm": "two-completions", "callback-never-armed": "not-armed", "callbacks-overlap": "armed-beside-callback",
	"refused-post-no-doorbell": "refused-behind-deferred", "refused-post-completes": "refused-alone", "failure-swallowed": "refused-alone",
	"duplicate-completion": "many", "silent-failure-lost": "silent-flushed", "flush-misses-last": "both-queues-flushed", "overflow-continues": "too-many",
	"wrong-invalidated-token": "invalidated-by-peer", "token-survives-plain-poll": "invalidated-twice", "bad-token-accepted": "token-used-up",
	"callback-after-close": "closed-beside-callback", "swap-completions": "many",
}

// within is the number of seeds that must be enough to find a bug.
const within = 40

// findEach looks for each of some seeded bugs, and returns at which seed it was found.
func findEach(t *testing.T, consumer []string, bugs []string) {
	rules := broken(t)
	for _, bug := range bugs {
		t.Run(bug, func(t *testing.T) {
			for seed := range within {
				report := judge(consumed(t, consumer, bug, shows[bug], seed))
				if slices.ContainsFunc(report.Findings, func(f verdict.Finding) bool {
					return f.Verdict == verdict.ProviderViolation && f.Rule == rules[bug]
				}) {
					t.Logf("found at seed %d", seed)
					return
				}
			}
			t.Errorf("case %s: no violation of %s in %d seeds", shows[bug], rules[bug], within)
		})
	}
}

// isConformant plays all cases, which are conformant and leave no object; recorded are both ends of each connection under one name.
func isConformant(t *testing.T, consumer []string, seeds int) {
	t.Helper()
	for seed := range seeds {
		whole := consumed(t, consumer, "", "all", seed)
		if report := judge(whole); report.Verdict != verdict.Conformant {
			t.Errorf("seed %d: %v, end %+v\n%+v", seed, report.Verdict, whole.End, report.Findings)
		}
		connects, accepts := named(whole, "NdkConnect", trace.Call), named(whole, "NdkAccept", trace.Call)
		for i := range connects {
			if len(accepts) != len(connects) || connects[i].Conn != accepts[i].Conn {
				t.Errorf("seed %d: connection %d is %q at one end, %d accepts", seed, i, connects[i].Conn, len(accepts))
			}
		}
	}
}

// The reference provider behind tables in C, recorded by the shim, is conformant, in each build. The consumer checks that each completion has the contexts of
// its own request, and that data arrives as it was sent.
func TestReferenceProviderIsConformant(t *testing.T) {
	for _, build := range sanitizers {
		t.Run(build.name, func(t *testing.T) {
			var environment []string
			seeds := 20
			if build.name == "ThreadSanitizer" { // Go has to tell it what its own locks order
				environment = []string{"CGO_CFLAGS=-g -fsanitize=thread", "CGO_LDFLAGS=-fsanitize=thread"}
				seeds = 3
			}
			consumer := compiled(t, "gcc", "consumer.c", append(slices.Clone(build.flags), library(t, environment...), "-pthread")...)
			isConformant(t, []string{consumer}, seeds)
		})
	}
}

// Each bug of the field that the reference provider can have is found through tables in C and the shim, by the rule by which it is found in Go. What a
// provider with a bug does breaks no memory of the shim.
func TestSeededBugsAreFoundThroughTheShim(t *testing.T) {
	if rules := broken(t); len(rules) != 25 || !slices.Equal(slices.Sorted(maps.Keys(rules)), slices.Sorted(maps.Keys(shows))) {
		t.Errorf("%d bugs have a case, and there are %d", len(shows), len(rules))
	}
	consumer := compiled(t, "gcc", "consumer.c", append(slices.Clone(sanitizers[1].flags), library(t), "-pthread")...)
	findEach(t, []string{consumer}, slices.Sorted(maps.Keys(shows)))
}
