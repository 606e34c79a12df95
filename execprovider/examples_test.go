package execprovider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ndkoracle/conformance"
	"ndkoracle/execprovider"
	"ndkoracle/ndk"
)

const sources = "../examples/exec-provider"

// An example is a provider of docs/exec-provider.md.
type example struct {
	name    string
	command []string
}

// examples returns the examples in all languages, ready to run.
func examples(t *testing.T) []example {
	t.Helper()
	read(t, "provider.py")
	return []example{
		{"python", []string{tool(t, "python3"), filepath.Join(sources, "provider.py")}},
		{"c", []string{compiled(t, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")}},
	}
}

// read reads sources, so that Go knows of them: it runs the tests again when one has changed.
func read(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := os.ReadFile(filepath.Join(sources, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// tool returns the path of a program that the tests need.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not installed; make install, or make test, installs it", name)
	}
	return path
}

// compiled builds the example in C. A warning is an error.
func compiled(t *testing.T, flags ...string) string {
	t.Helper()
	read(t, "provider.c", "json.h")
	program := filepath.Join(t.TempDir(), "provider")
	args := append([]string{"-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-pthread", "-o", program, filepath.Join(sources, "provider.c")}, flags...)
	if out, err := exec.Command(tool(t, "cc"), args...).CombinedOutput(); err != nil {
		t.Fatalf("cc %q: %v\n%s", args, err, out)
	}
	return program
}

// record records a scenario on an example into a file. The error is that of the run, which a seeded bug may fail. What the program says wrong, and each word
// on its standard error, fails the test.
func record(t *testing.T, command []string, s conformance.Scenario, seed uint64, file string) error {
	t.Helper()
	const ops = 25
	var adapter *execprovider.Adapter
	var stderr bytes.Buffer
	p := conformance.Provider{Name: filepath.Base(command[0]), Open: func(seed uint64, _ func() bool) (conformance.Adapter, error) {
		var err error
		adapter, err = execprovider.Open(context.Background(), execprovider.Options{Command: command, Stderr: &stderr}, seed)
		return adapter, err
	}}
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	failed := conformance.Record(t.Context(), s, p, seed, ops, out)
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	if adapter == nil {
		t.Fatalf("scenario %s, seed %d: %v", s.Name, seed, failed)
	}
	adapter.Release()
	if err := adapter.Err(); err != nil || stderr.Len() > 0 {
		t.Errorf("scenario %s, seed %d: %v\n%s", s.Name, seed, err, stderr.Bytes())
	}
	return failed
}

// A report is what tracecheck says of a trace.
type report struct {
	File     string
	Verdict  string
	Findings []struct{ Verdict, Rule, Message string }
}

// judge returns a function that has tracecheck judge traces. The program is used, because the tests of a provider do not import the judge.
func judge(t *testing.T) func(t *testing.T, files ...string) []report {
	t.Helper()
	tracecheck := filepath.Join(t.TempDir(), "tracecheck")
	if out, err := exec.Command("go", "build", "-o", tracecheck, "ndkoracle/cmd/tracecheck").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(t *testing.T, files ...string) []report {
		t.Helper()
		var said struct{ Traces []report }
		out, err := exec.Command(tracecheck, append([]string{"--format", "json", "--"}, files...)...).Output()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Fatalf("%v: %s", err, out)
		}
		if err := json.Unmarshal(out, &said); err != nil {
			t.Fatal(err)
		}
		if len(said.Traces) != len(files) {
			t.Fatalf("%d traces were judged, not %d", len(said.Traces), len(files))
		}
		return said.Traces
	}
}

// Each example keeps every rule that the judge checks, in every scenario.
func TestExamplesAreConformant(t *testing.T) {
	judged := judge(t)
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			folder := t.TempDir()
			var files []string
			for _, s := range conformance.Scenarios() {
				for seed := range uint64(2) {
					file := filepath.Join(folder, fmt.Sprintf("%s-%d.ndktrace", s.Name, seed))
					if err := record(t, e.command, s, seed, file); err != nil {
						t.Errorf("scenario %s, seed %d: %v", s.Name, seed, err)
					}
					files = append(files, file)
				}
			}
			for _, r := range judged(t, files...) {
				if r.Verdict != "conformant" {
					t.Errorf("%s: %s %+v", filepath.Base(r.File), r.Verdict, r.Findings)
				}
			}
		})
	}
}

// broken is the rule that each bug of the examples breaks.
var broken = map[string]string{
	"bad-token-accepted":        "INV-05",
	"callback-never-armed":      "ARM-01",
	"duplicate-completion":      "POLL-04",
	"error-not-solicited":       "ARM-11",
	"fire-again-for-reported":   "ARM-21",
	"flush-misses-last":         "FLUSH-02",
	"last-arm-wins":             "ARM-07",
	"no-fire-at-arm":            "ARM-04",
	"overflow-continues":        "ARM-17",
	"refused-post-no-doorbell":  "DEF-05",
	"second-arm-dropped":        "ARM-07",
	"silent-failure-lost":       "FLAG-02",
	"solicit-bit-ignored":       "ARM-10",
	"swap-completions":          "POLL-09",
	"token-survives-plain-poll": "POLL-07",
	"two-callbacks-one-arm":     "ARM-02",
	"wrong-invalidated-token":   "RES-03",
}

// bugsOf returns the bugs that an example lists.
func bugsOf(t *testing.T, e example) []string {
	t.Helper()
	out, err := exec.Command(e.command[0], append(slices.Clone(e.command[1:]), "--bugs")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// Every example has all of the bugs.
func TestExamplesHaveTheSameBugs(t *testing.T) {
	for _, e := range examples(t) {
		bugs := bugsOf(t, e)
		for _, bug := range bugs {
			if broken[bug] == "" {
				t.Errorf("%s: the rule that %s breaks is not known", e.name, bug)
			}
		}
		if len(bugs) != len(broken) || !slices.IsSorted(bugs) {
			t.Errorf("%s lists %d bugs, not %d in their order: %q", e.name, len(bugs), len(broken), bugs)
		}
	}
}

// Each bug of each example is found by the rule that it breaks.
func TestBugsOfExamplesAreFound(t *testing.T) {
	const within = 200 // seeds
	judged := judge(t)
	for _, e := range examples(t) {
		for _, bug := range bugsOf(t, e) {
			t.Run(e.name+"/"+bug, func(t *testing.T) {
				t.Setenv("NDK_SEEDED_BUG", bug)
				s, ok := conformance.Find(conformance.Reveals[bug])
				if !ok {
					t.Fatalf("no scenario reveals %s", bug)
				}
				file := filepath.Join(t.TempDir(), "a.ndktrace")
				for seed := range uint64(within) {
					_ = record(t, e.command, s, seed, file) // a run may fail where the provider is broken
					for _, f := range judged(t, file)[0].Findings {
						if f.Verdict == "provider violation" && f.Rule == broken[bug] {
							t.Logf("found at seed %d", seed)
							return
						}
					}
				}
				t.Errorf("scenario %s: no violation of %s in %d seeds", s.Name, broken[bug], within)
			})
		}
	}
}

// The example in C has no leak, no undefined behaviour and no race, in any scenario and with any bug.
func TestExampleInCIsClean(t *testing.T) {
	for _, sanitizers := range []string{"address,undefined", "thread"} {
		t.Run(sanitizers, func(t *testing.T) {
			e := example{sanitizers, []string{compiled(t, "-g", "-fsanitize="+sanitizers, "-fno-sanitize-recover=all")}}
			file := filepath.Join(t.TempDir(), "a.ndktrace")
			for _, s := range conformance.Scenarios() {
				if err := record(t, e.command, s, 1, file); err != nil {
					t.Errorf("scenario %s: %v", s.Name, err)
				}
			}
			for _, bug := range bugsOf(t, e) {
				t.Setenv("NDK_SEEDED_BUG", bug)
				if s, ok := conformance.Find(conformance.Reveals[bug]); ok {
					_ = record(t, e.command, s, 1, file)
				}
			}
		})
	}
}

// said runs an example on lines, and returns what it writes to both outputs, and its exit code.
func said(t *testing.T, command []string, lines ...string) (stdout, stderr string, exit int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, &errs
	var failed *exec.ExitError
	if err := c.Run(); errors.As(err, &failed) {
		exit = failed.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), exit
}

// An example refuses a bug that it does not have, and lists those that it has.
func TestExamplesRefuseUnknownBugs(t *testing.T) {
	t.Setenv("NDK_SEEDED_BUG", "lose-everything")
	for _, e := range examples(t) {
		stdout, stderr, exit := said(t, e.command)
		if want := "NDK_SEEDED_BUG=lose-everything: there are bad-token-accepted, "; exit != 1 || stdout != "" || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: exit code %d, %q, %q, want %q", e.name, exit, stdout, stderr, want)
		}
	}
}

// called returns a line that calls a method.
func called(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
}

// An example answers calls that the scenarios do not make: of a method that there is none of, and of a CQ that is too deep.
func TestExamplesAnswer(t *testing.T) {
	for _, e := range examples(t) {
		for line, want := range map[string]string{
			called("NdkMakeCoffee", "{}"):                                            `"code":-32601`,
			called("NdkCreateCq", `{"cq":"cq1","depth":4097,"notify":true}`):         `"status":"STATUS_INVALID_PARAMETER"`,
			called("NdkGetCqResults", `{"cq":"cq1","n":4}`):                          `"results":[]`,
			called("AtRest", `{"also":["\u00e9\ud83d\ude00\n",-1.5e3,null,[],{}]}`):  `"rest":true`,
			strings.ReplaceAll(called("NdkCloseAdapter", `{}`), `"id":7`, `"id":70`): `"id":70`,
		} {
			stdout, stderr, exit := said(t, e.command, line)
			if flat := strings.ReplaceAll(stdout, " ", ""); exit != 0 || stderr != "" || !strings.Contains(flat, want) || strings.Count(stdout, "\n") != 1 {
				t.Errorf("%s: %s: exit code %d, %q, %q, want %s", e.name, line, exit, stdout, stderr, want)
			}
		}
	}
}

// An answer has the id of its call, which may be any string.
func TestExamplesRepeatIds(t *testing.T) {
	for _, e := range examples(t) {
		for _, id := range []string{`70`, `"a"`, `"\"\\\/\b\f\n\r\t\u0001"`, `"\u007f\u0080\u07ff\u0800\uffff"`, `"\ud800\udc00\uDBFF\uDFFF"`, `"é€😀"`} {
			stdout, stderr, exit := said(t, e.command, strings.ReplaceAll(called("AtRest", `{}`), `"id":7`, `"id":`+id))
			var got struct{ ID any }
			var want any
			if err := errors.Join(json.Unmarshal([]byte(id), &want), json.Unmarshal([]byte(stdout), &got)); err != nil || exit != 0 || got.ID != want {
				t.Errorf("%s: %s: exit code %d, %q, %q, %v", e.name, id, exit, stdout, stderr, err)
			}
		}
	}
}

// The example in C refuses what is no line of the protocol, and says at which byte of which line.
func TestExampleInCRefuses(t *testing.T) {
	command := []string{compiled(t, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")}
	first := called("NdkCreateCq", `{"cq":"cq1","depth":8,"notify":true}`)
	for line, want := range map[string]string{
		``:                           "byte 1: no JSON value",
		`{"jsonrpc":"2.0`:            "byte 12: a string is not closed",
		`{"jsonrpc":"2.0"`:           "byte 17: a comma or a closing bracket is missing",
		`{"jsonrpc" "2.0"}`:          "byte 12: a colon is missing",
		`{jsonrpc:2.0}`:              "byte 2: the name of a member is missing",
		`{"id":1,}`:                  "byte 9: the name of a member is missing",
		`[1,]`:                       "byte 4: no JSON value",
		`{"id":01}`:                  "byte 8: a comma or a closing bracket is missing",
		`{"id":1.}`:                  "byte 9: a digit is missing",
		`{"id":-}`:                   "byte 8: a digit is missing",
		`{"id":1e+}`:                 "byte 10: a digit is missing",
		`{"id":nul}`:                 "byte 7: no JSON value",
		`{"id":"\x"}`:                "byte 9: no such escape",
		`{"id":"\u12g4"}`:            "byte 12: a hexadecimal digit is missing",
		`{"id":"\ud83d."}`:           "byte 14: half of a surrogate pair",
		`{"id":"\ud83d\u0041"}`:      "byte 20: half of a surrogate pair",
		`{"id":"\ude00"}`:            "byte 14: half of a surrogate pair",
		`{"id":"\u0000"}`:            "byte 14: a string with a zero byte",
		"{\"id\":\"a\tb\"}":          "byte 9: a control character in a string",
		"{\"id\":\"a\xc0\xaf\"}":     "byte 9: a string is not UTF-8",
		"{\"id\":\"a\xed\xa0\x80\"}": "byte 9: a string is not UTF-8",
		"{\"id\":\"\xf0\"}":          "byte 8: a string is not UTF-8",
		"{\"id\":\"a\xf0\x9f\x98\"}": "byte 9: a string is not UTF-8",
		strings.Repeat("[", 40):      "byte 33: values are nested too deep",
		`{"id":1}{}`:                 "byte 9: more text behind the value",
		`[]`:                         "byte 1: no JSON object",
		strings.Repeat(" ", 1<<20+1): "byte 1048577: the line has more than 1048576 bytes",
		`{"id":1,"method":"Open"}`:   `the member "jsonrpc" is not "2.0"`,
		`{"jsonrpc":"1.0","id":1,"method":"Open"}`:                                          `the member "jsonrpc" is not "2.0"`,
		`{"jsonrpc":2.0,"id":1,"method":"Open"}`:                                            `the member "jsonrpc" is not "2.0"`,
		`{"jsonrpc":"2.0","method":"a"}`:                                                    "a call has no id",
		`{"jsonrpc":"2.0","id":7,"result":{}}`:                                              "call 7 is answered, and does not wait for an answer",
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}`:                        "the consumer: no",
		called("NdkArmCq", `{"cq":"cq1"}`):                                                  "NdkArmCq: the parameter type is missing",
		called("NdkArmCq", `{"cq":"cq1","type":"SOME"}`):                                    "NdkArmCq: the type is SOME, and not ERRORS, SOLICITED or ANY",
		called("NdkArmCq", `{"cq":"cq2","type":"ANY"}`):                                     "NdkArmCq: there is no CQ cq2",
		called("NdkArmCq", `{"cq":1,"type":"ANY"}`):                                         "NdkArmCq: the parameter cq is not a string",
		called("NdkFlush", `{"qp":"qp1"}`):                                                  "NdkFlush: there is no QP qp1",
		called("NdkCreateCq", `{"cq":"cq2","depth":-1}`):                                    "NdkCreateCq: the parameter depth is not a whole number of at most 64 bits",
		called("NdkCreateCq", `{"cq":"cq2","depth":1e1}`):                                   "NdkCreateCq: the parameter depth is not a whole number of at most 64 bits",
		called("NdkCreateCq", `{"cq":"cq2","depth":18446744073709551616}`):                  "NdkCreateCq: the parameter depth is not a whole number of at most 64 bits",
		called("NdkCreateCq", `{"cq":"`+strings.Repeat("c", 64)+`","depth":1}`):             "NdkCreateCq: the parameter cq has more than 63 bytes",
		strings.ReplaceAll(first, `"id":7`, `"id":"`+strings.Repeat("7", 70)+`"`):           "the id of a call has more than 63 bytes",
		strings.ReplaceAll(first, `"id":7`, `"id":[]`):                                      "the id of a call is neither a number nor a string",
		called("NdkInvalidate", `{"qp":"qp1","wr":"w1","mr":"mr1","flags":[]}`):             "NdkInvalidate: there is no QP qp1",
		called("NdkRegisterMr", `{"mr":"mr1","address":1,"length":1,"flags":[]}`):           "NdkRegisterMr: there is no mr1",
		called("NdkGetCqResults", `{"cq":"cq1","n":"all"}`):                                 "NdkGetCqResults: the parameter n is not a whole number of at most 64 bits",
		strings.ReplaceAll(called("Open", `{"seed":1}`), `"method":"Open"`, `"method":[1]`): "the method of a call is not a string",
	} {
		_, stderr, exit := said(t, command, first, line)
		if exit != 1 || stderr != "provider: line 2: "+want+"\n" {
			t.Errorf("%.80q: exit code %d, %q, want %q", line, exit, stderr, want)
		}
	}
	if _, stderr, exit := said(t, append(slices.Clone(command), "--help")); exit != 1 || stderr != "usage: provider [--bugs]\n" {
		t.Errorf("--help: exit code %d, %q", exit, stderr)
	}
}

// The example in C refuses memory and requests that are not of the protocol, once two queue pairs are connected.
func TestExampleInCRefusesRequests(t *testing.T) {
	command := []string{compiled(t, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")}
	qp := `{"qp":%q,"pd":"pd1","receive_cq":"cq1","initiator_cq":"cq1","receive_depth":4,"initiator_depth":4,"receive_sge":1,"initiator_sge":1,"inline":64}`
	sends := called("NdkSend", `{"qp":"qp1","wr":"w2","sgl":[{"address":4096,"length":8,"token":1}],"flags":[]}`)
	connected := []string{
		called("NdkCreateCq", `{"cq":"cq1","depth":8,"notify":false}`),
		called("NdkCreateQp", fmt.Sprintf(qp, "qp1")), called("NdkCreateQp", fmt.Sprintf(qp, "qp2")),
		called("NdkCreateMr", `{"mr":"mr1","pd":"pd1","fast_register":false}`),
		called("NdkRegisterMr", `{"mr":"mr1","address":4096,"length":64,"flags":[]}`),
		called("NdkConnect", `{"qp":"qp1","peer_address":"here"}`), called("NdkAccept", `{"qp":"qp2","peer_address":"here"}`),
		called("NdkReceive", `{"qp":"qp2","wr":"w1","sgl":[{"address":4096,"length":8,"token":1}]}`),
	}
	data := func(data string) []string {
		return []string{sends, `{"jsonrpc":"2.0","id":1,"result":{"data":` + data + `}}`}
	}
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{sends}, "line 10: the input ends, and ReadMemory was not answered"},
		{[]string{sends, called("AtRest", `{}`), `[`}, "line 11: byte 2: no JSON value"},
		{data(`"AAAA"`), "line 10: ReadMemory: 3 bytes of data, not 8"},
		{data(`"AAAAAAAAAAAA"`), "line 10: ReadMemory: 9 bytes of data, not 8"},
		{data(`"AAAAAAAAAAA"`), "line 10: ReadMemory: the data is not base64"},
		{data(`"AAAAAAAAAA*="`), "line 10: ReadMemory: the data is not base64"},
		{data(`"AA=AAAAAAAA="`), "line 10: ReadMemory: the data is not base64"},
		{data(`"AAAAAAAAA==="`), "line 10: ReadMemory: the data is not base64"},
		{data(`8`), "line 10: ReadMemory: the data is not base64"},
		{[]string{sends, `{"jsonrpc":"2.0","id":1}`}, "line 10: the answer to call 1 has no result"},
		{[]string{sends, `{"jsonrpc":"2.0","result":{}}`}, "line 10: an answer has no id, or one that no call had"},
		{[]string{sends, `{"jsonrpc":"2.0","id":2,"result":{}}`}, "line 10: call 2 is answered, and does not wait for an answer"},
		{[]string{called("NdkSend", `{"qp":"qp1","wr":"w2","sgl":8}`)}, "line 9: NdkSend: the parameter sgl is not a list"},
		{[]string{called("NdkSend", `{"qp":"qp1","wr":"w2","sgl":[8]}`)}, "line 9: NdkSend: the parameter address is missing"},
		{[]string{called("NdkSend", `{"qp":"qp1","wr":"w2","flags":8}`)}, "line 9: NdkSend: the parameter flags is not a list"},
		{[]string{called("NdkSend", `{"qp":"qp1","wr":"w2","flags":["INLINE"]}`)}, "line 9: NdkSend: the parameter data is missing"},
		{[]string{called("NdkSend", `{"qp":"qp1","wr":"w2","flags":["INLINE"],"data":"A"}`)}, "line 9: NdkSend: the parameter data is not base64"},
		{[]string{called("NdkRead", `{"qp":"qp1","wr":"w2"}`)}, "line 9: NdkRead: the parameter remote_address is missing"},
		{[]string{called("NdkInvalidate", `{"qp":"qp1","wr":"w2","mr":"mr2"}`)}, "line 9: NdkInvalidate: there is no mr2"},
	} {
		_, stderr, exit := said(t, command, append(slices.Clone(connected), test.lines...)...)
		if exit != 1 || stderr != "provider: "+test.want+"\n" {
			t.Errorf("%q: exit code %d, %q, want %q", test.lines, exit, stderr, test.want)
		}
	}
	if stdout, stderr, exit := said(t, command, append(connected, data(`"AAECAwQFBgc="`)...)...); exit != 0 || stderr != "" ||
		!strings.Contains(stdout, `"method":"WriteMemory","params":{"address":4096,"data":"AAECAwQFBgc="}`) {
		t.Errorf("exit code %d, %q, %q", exit, stdout, stderr)
	}
}

// The example in C reports an error where its output has no reader.
func TestExampleInCSaysThatItCannotWrite(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	c := exec.Command(compiled(t))
	var stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(called("AtRest", `{}`)+"\n"), write, &stderr
	err = c.Run()
	var failed *exec.ExitError
	if want := "provider: line 1: the answer can't be written: "; !errors.As(err, &failed) || failed.ExitCode() != 1 || !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("%v, %q, want %q", err, stderr.String(), want)
	}
}

// A message of more bytes than a line has room for arrives whole: the example in C moves it in pieces.
func TestExampleInCMovesLargeMessages(t *testing.T) {
	a, err := execprovider.Open(t.Context(), execprovider.Options{Command: []string{compiled(t)}, Stderr: io.Discard, Failed: func(err error) { t.Error(err) }}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	good := func(what string, status ndk.Status) {
		t.Helper()
		if status != ndk.STATUS_SUCCESS {
			t.Fatalf("%s: %v", what, status)
		}
	}
	buffers := [2][]byte{make([]byte, 3<<19+1), make([]byte, 3<<19+1)}
	for i := range buffers[0] {
		buffers[0][i] = byte(i * i >> 8)
	}
	pd, status := a.NdkCreatePd()
	good("NdkCreatePd", status)
	var qps [2]ndk.Qp
	var sges [2][]ndk.Sge
	for i := range qps {
		cq, status := a.NdkCreateCq(8, nil)
		good("NdkCreateCq", status)
		qps[i], status = pd.NdkCreateQp(ndk.QpAttributes{ReceiveCq: cq, InitiatorCq: cq, ReceiveQueueDepth: 4, InitiatorQueueDepth: 4, MaxReceiveRequestSge: 1, MaxInitiatorRequestSge: 1})
		good("NdkCreateQp", status)
		mr, status := pd.NdkCreateMr(false)
		good("NdkCreateMr", status)
		good("NdkRegisterMr", mr.NdkRegisterMr(buffers[i], 0))
		sges[i] = []ndk.Sge{{Buffer: buffers[i], MemoryRegionToken: mr.NdkGetLocalTokenFromMr()}}
	}
	accepted := make(chan ndk.Status)
	go func() { accepted <- a.NdkAccept(qps[1], "here") }()
	good("NdkConnect", a.NdkConnect(qps[0], "here"))
	good("NdkAccept", <-accepted)
	good("NdkReceive", qps[1].NdkReceive(nil, sges[1]))
	good("NdkSend", qps[0].NdkSend(nil, sges[0], 0))
	if !a.Quiesce(time.Minute) || !bytes.Equal(buffers[0], buffers[1]) {
		t.Error("the message did not arrive as it was sent")
	}
	a.NdkCloseAdapter()
}
