package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

const sources = "../../c"

// What is generated is of the present table of functions.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(sources, name))
		if err != nil || string(got) != want() {
			t.Errorf("c/%s is out of date: go generate ./internal/cheader (%v)", name, err)
		}
	}
}

// compiler returns a program that the tests need.
func compiler(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is not installed; make install, or make test, installs it", name)
	}
	return path
}

// built compiles a program in C.
func built(t testing.TB, source string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{"-std=gnu99", "-Wall", "-Wextra", "-Werror", "-O2", "-pthread", "-I", sources, "-o", program, source}, flags...)
	if out, err := exec.Command(compiler(t, "gcc"), args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %q: %v\n%s", args, err, out)
	}
	return program
}

// recorded runs a program, which writes a trace, and returns what it says and the trace.
func recorded(t *testing.T, program string, args func(file string) []string) (said string, whole *trace.Trace) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	command := exec.Command(program, args(file)...)
	var errors bytes.Buffer
	command.Stderr = &errors
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, errors.Bytes())
	}
	whole, err = trace.ReadFile(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)), whole
}

// The provider in the example is conformant; with a lost callback it breaks ARM-09; with too few slots nothing is said.
func TestExample(t *testing.T) {
	toy := built(t, filepath.Join(sources, "example/toy.c"))
	for _, test := range []struct {
		flags []string
		want  verdict.Verdict
		rule  string
	}{
		{nil, verdict.Conformant, ""},
		{[]string{"--lose-notification"}, verdict.ProviderViolation, "ARM-09"},
		{[]string{"--ring", "64"}, verdict.Inconclusive, ""},
		{[]string{"--ring", "64", "--lose-notification"}, verdict.Inconclusive, ""},
	} {
		_, whole := recorded(t, toy, func(file string) []string { return append(test.flags, file) })
		report := linearize.Check(context.Background(), whole, linearize.Options{})
		if report.Verdict != test.want || test.rule != "" && (len(report.Findings) != 1 || report.Findings[0].Rule != test.rule) {
			t.Errorf("%q: %v, want %v %s\n%+v", test.flags, report.Verdict, test.want, test.rule, report.Findings)
		}
	}
}

// babeltrace2 reads what the worker writes, by the metadata beside the header, and counts the same events.
func TestBabeltraceCountsTheSame(t *testing.T) {
	babeltrace := compiler(t, "babeltrace2")
	toy := built(t, filepath.Join(sources, "example/toy.c"))
	folder := t.TempDir()
	_, whole := recorded(t, toy, func(file string) []string { folder = filepath.Dir(file); return []string{file} })
	metadata, err := os.ReadFile(filepath.Join(sources, "ndktrace.metadata"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "metadata"), metadata, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	var errors bytes.Buffer
	command := exec.Command(babeltrace, folder)
	command.Stderr = &errors
	out, err := command.Output()
	if err != nil || errors.Len() > 0 {
		t.Fatalf("%v\n%s", err, errors.Bytes())
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, ") header: ") && !strings.Contains(line, ") name: ") && !strings.Contains(line, ") end: ") {
			n++
		}
	}
	if n != len(whole.Events) {
		t.Errorf("babeltrace2 finds %d events, tracecheck %d", n, len(whole.Events))
	}
}

// caller makes a program that calls each function of the header, with arguments that differ, and knows which.
type caller struct {
	code strings.Builder
	n    int
	want []map[string]string // by event
}

func (c *caller) call(f *function) {
	c.n++
	fields := map[string]string{"fn": f.Fn, "ph": string(f.Phase)}
	args := "&ring"
	if f.ends {
		args += ", op"
	}
	for _, field := range f.parameters() {
		c.n++
		value := strconv.Itoa(c.n)
		switch {
		case field.Size == 0 && f.List == "wrs":
			args += ", requests, 2"
			continue
		case field.Size == 0:
			args += fmt.Sprintf(", results%s, 2", map[bool]string{true: "_verbs"}[strings.HasPrefix(f.Fn, "ibv_")])
			continue
		case field.Id:
			args += ", first"
			fields[field.Name] = "1"
			continue
		case field.Truth:
			args += ", NDKT_FALSE"
			fields[field.Name] = "false"
			continue
		case field.Name == "status" || field.Name == "errno" || field.Name == "state" || field.Name == "type" || field.Name == "qp_type":
			args += ", 1"
			fields[field.Name] = "*"
			continue
		case field.Name == "flags":
			args += ", 2"
			fields[field.Name] = "*"
			continue
		case field.Object:
			fields[field.Name] = kind(field.Name) + value
		case field.Size == 8:
			value = "9223372036854775807"
			fields[field.Name] = value
		default:
			fields[field.Name] = value
		}
		args += ", " + value
	}
	result := ""
	if f.begins {
		result = "op = "
	}
	if f.own > 0 {
		fields["wr"] = "*"
	}
	fmt.Fprintf(&c.code, "    %sndkt_%s_%s(%s);\n", result, f.Fn, f.Phase, args)
	c.want = append(c.want, fields)
}

// kind is what the id of an object begins with that a field names.
func kind(field string) string {
	if field == "receive_cq" || field == "initiator_cq" {
		return "cq"
	}
	return field
}

// inC is the name that lines have for the field of an event.
func inLine(fn, field string) string {
	if !strings.HasPrefix(fn, "ibv_create_qp") {
		return field
	}
	switch field {
	case "receive_cq":
		return "recv_cq"
	case "initiator_cq":
		return "send_cq"
	case "receive_depth":
		return "max_recv_wr"
	case "initiator_depth":
		return "max_send_wr"
	case "inline":
		return "max_inline_data"
	}
	return field
}

const eachFunction = `
#define NDKT_WRITER(r) writer
#define NDKT_THREAD() 7
#include <stdint.h>
struct ndkt_writer;
static struct ndkt_writer *writer;
#include "ndktrace_file.h"
static ndkt_writer w, *writers[1];
static ndkt_slot slots[1024];
static ndkt_ring ring;
static ndkt_file file;
int main(int argc, char **argv)
{
    FILE *out = fopen(argv[argc - 1], "wb");
    ndkt_op first, op;
    ndkt_result results[2], results_verbs[2];
    ndkt_request requests[2];
    static uint64_t wrs;
    if (!out) return 1;
    memset(results, 0, sizeof results);
    memset(requests, 0, sizeof requests);
    results[0].wr = 0; results[0].has = NDKT_HAS_STATUS;
    results[1].wr = 1; results[1].zero = 5; results[1].qp = 3; results[1].bytes = 5; results[1].status = NDKT_STATUS_CANCELLED; results[1].has = NDKT_HAS_STATUS | NDKT_HAS_BYTES;
    memcpy(results_verbs, results, sizeof results);
    results_verbs[1].status = NDKT_IBV_WC_WR_FLUSH_ERR; results_verbs[1].opcode = NDKT_WC_RECV; results_verbs[1].has |= NDKT_HAS_OPCODE;
    ndkt_init(&ring, writers);
    ndkt_init_writer(&w, slots, 1024);
    writers[0] = writer = &w;
    NDKT_STORE(&ring.count, 1);
    ndkt_file_open(&file, out, "verbs", "provider", "each function", "1");
    first = ndkt_NdkQueryAdapterInfo_call(&ring, 0);
    ndkt_NdkQueryAdapterInfo_ret(&ring, first, NDKT_NONE);
#define NEXT requests[0].wr = NDKT_WR(++wrs); requests[1].wr = NDKT_WR(++wrs); requests[1].bytes = 6; requests[1].opcode = NDKT_WR_SEND; \
    requests[1].has = NDKT_REQUEST_HAS_BYTES | NDKT_REQUEST_HAS_OPCODE; requests[1].flags = 2
%s
    return ndkt_file_close(&file, &ring, 1) < 0 || fclose(out) != 0;
}
`

// Each function of the header makes a line that keeps the schema, and has what it was called with.
func TestEachFunctionMakesALine(t *testing.T) {
	var c caller
	for _, class := range trace.CtfClasses() {
		if f := newFunction(class); f.List == "wrs" {
			c.code.WriteString("    NEXT;\n")
			c.call(f)
		} else {
			c.call(f)
		}
	}
	source := filepath.Join(t.TempDir(), "each.c")
	if err := os.WriteFile(source, fmt.Appendf(nil, eachFunction, c.code.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	_, whole := recorded(t, built(t, source), func(file string) []string { return []string{file} })
	if len(whole.Events) != len(c.want)+2 || len(whole.Warnings) > 0 || whole.End == nil || whole.End.Dropped != 0 {
		t.Fatalf("%d events, want %d, warnings %v, end %+v", len(whole.Events), len(c.want)+2, whole.Warnings, whole.End)
	}
	schema := compiled(t)
	for i, want := range c.want {
		e := &whole.Events[i+2]
		line := trace.AppendEvent(nil, e)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s\n%v", line, err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if in := strings.Trim(string(got[inLine(e.Fn, name)]), `"`); in != text && (text != "*" || in == "") {
				t.Errorf("%s is %q, want %q in %s", name, in, text, line)
			}
		}
		known := []string{"seq", "t", "thr", "op", "wrs", "results"}
		for name := range got {
			if !slices.Contains(known, name) && !slices.ContainsFunc(mapKeys(want), func(f string) bool { return inLine(e.Fn, f) == name }) {
				t.Errorf("nobody said %s in %s", name, line)
			}
		}
	}
	for _, e := range whole.Events {
		if e.Fn == "ibv_poll_cq" && e.Ph == trace.Ret && (len(e.Results) != 2 || e.Results[0].Wr != "?2" && e.Results[0].Wr != "?1" && e.Results[0].Wr != "?3" ||
			e.Results[1].Status != "IBV_WC_WR_FLUSH_ERR" || e.Results[1].Opcode != "RECV" || *e.Results[1].Bytes != 5) {
			t.Errorf("%+v", e.Results)
		}
		if e.Fn == "ibv_post_send" && e.Ph == trace.Call && (len(e.Wrs) != 2 || e.Wrs[0].Wr[0] != 'w' || e.Wrs[1].Opcode != "SEND" || *e.Wrs[1].Bytes != 6) {
			t.Errorf("%+v", e.Wrs)
		}
	}
}

func mapKeys(m map[string]string) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	return keys
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(trace.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("trace.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("trace.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// Recorded and dropped are all that was attempted, with rings of any size, and what was recorded is a trace; ThreadSanitizer finds no race.
func TestNothingIsLostUncounted(t *testing.T) {
	for _, build := range []struct {
		name   string
		flags  []string
		rounds string
	}{{"plain", nil, "30000"}, {"ThreadSanitizer", []string{"-g", "-fsanitize=thread"}, "4000"}} {
		t.Run(build.name, func(t *testing.T) {
			stress := built(t, "testdata/stress.c", build.flags...)
			for _, slots := range []string{"64", "1024", "65536"} {
				said, whole := recorded(t, stress, func(file string) []string { return []string{file, slots, build.rounds} })
				attempted, err := strconv.ParseUint(said, 10, 64)
				if err != nil || whole.End == nil || whole.End.Events+whole.End.Dropped != attempted || whole.End.Events == 0 {
					t.Errorf("%s slots: %s attempted, end %+v", slots, said, whole.End)
				}
				t.Logf("%s slots: %d of %s events recorded", slots, whole.End.Events, said)
			}
		})
	}
}

// What a writer can't record is counted: too many results, no writer. A place that was taken by a thread which is gone ends the trace there.
func TestLossesAreCounted(t *testing.T) {
	_, whole := recorded(t, built(t, "testdata/losses.c"), func(file string) []string { return []string{file} })
	// Recorded are a poll and its return, a call, and a point. Dropped are a return with 1024 results, a call and its return without a writer, the place
	// that was not written, and the event behind it.
	if len(whole.Events) != 4 || whole.End == nil || *whole.End != (trace.End{Events: 4, Dropped: 5}) {
		t.Errorf("%d events, end %+v", len(whole.Events), whole.End)
	}
}

// everyCall is a freestanding unit that uses all of the header.
const everyCall = `
#define NDKT_WRITER(r) writer
#define NDKT_THREAD() 7
#include <stdint.h>
struct ndkt_writer;
extern struct ndkt_writer *writer;
#include "ndktrace.h"
struct ndkt_writer *writer;
void every(ndkt_ring *r);
void every(ndkt_ring *r)
{
    static ndkt_result results[2];
#define results_verbs results
    static ndkt_request requests[2];
    static ndkt_slot slots[64];
    static ndkt_writer w, *all[1];
    ndkt_op first = ndkt_new_id(r), op = first;
#define ring (*r)
#define NEXT requests[0].wr = NDKT_WR(1)
    ndkt_init(r, all);
    ndkt_init_writer(&w, slots, 64);
%s
    ndkt_read(r, slots, ndkt_dropped(r));
    (void)op;
}
`

// The header is C99 and C++11, freestanding, for each compiler and without a floating point register: no warning, and nothing that a library has to have.
func TestFreestandingCompilers(t *testing.T) {
	var c caller
	for _, class := range trace.CtfClasses() {
		c.call(newFunction(class))
	}
	folder := t.TempDir()
	for _, name := range []string{"every.c", "every.cc"} {
		if err := os.WriteFile(filepath.Join(folder, name), fmt.Appendf(nil, everyCall, c.code.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kernel := []string{"-ffreestanding", "-nostdlib", "-mno-sse", "-mno-red-zone", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", sources}
	for _, test := range []struct {
		program, file string
		flags         []string
	}{
		{"gcc", "every.c", []string{"-std=c99"}}, {"gcc", "every.c", []string{"-std=c11"}}, {"gcc", "every.c", []string{"-std=c17"}},
		{"gcc", "every.c", []string{"-std=c99", "-O0"}}, {"g++", "every.cc", []string{"-std=c++11"}},
		{"x86_64-w64-mingw32-gcc", "every.c", []string{"-std=c99"}}, {"x86_64-w64-mingw32-g++", "every.cc", []string{"-std=c++11"}},
		{"clang", "every.c", []string{"-std=c99"}}, {"clang", "every.cc", []string{"-std=c++11"}},
		{"clang", "every.c", []string{"-std=c99", "-target", "x86_64-pc-windows-msvc"}},
		{"clang", "every.c", []string{"-std=c99", "-target", "aarch64-pc-windows-msvc"}},
		{"clang", "every.c", []string{"-std=c99", "-target", "aarch64-linux-gnu"}},
	} {
		t.Run(test.program+strings.Join(test.flags, " "), func(t *testing.T) {
			object := filepath.Join(t.TempDir(), "every.o")
			flags := append(slices.Clone(kernel), "-O2")
			if strings.Contains(strings.Join(test.flags, " "), "aarch64") {
				flags = slices.DeleteFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-mno-") })
				flags = append(flags, "-mgeneral-regs-only")
			}
			flags = append(append(flags, test.flags...), "-c", "-o", object, filepath.Join(folder, test.file))
			if out, err := exec.Command(compiler(t, test.program), flags...).CombinedOutput(); err != nil {
				t.Fatalf("%s %q: %v\n%s", test.program, flags, err, out)
			}
			if test.program != "gcc" && test.program != "g++" {
				return
			}
			if out, err := exec.Command("nm", "-u", object).Output(); err != nil || len(bytes.TrimSpace(out)) > 0 {
				t.Errorf("error %v; it needs\n%s", err, out)
			}
		})
	}
}

// The C recorder's hot path: nanoseconds an event with one thread, and with two at once; beside LTTng-UST in the same run, where that is installed.
func BenchmarkRecorder(b *testing.B) {
	var flags []string
	if _, err := exec.LookPath("lttng"); err == nil {
		flags = []string{"-DLTTNG", "testdata/lttng_tp.c", "-I", "testdata", "-llttng-ust", "-ldl", "-Wno-error"}
		recordWithLttng(b)
	}
	program := built(b, "testdata/bench.c", flags...)
	for b.Loop() {
		out, err := exec.Command(program).Output()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		took := map[string]float64{}
		for line := range strings.Lines(string(out)) {
			name, ns, _ := strings.Cut(strings.TrimSpace(line), " ")
			if took[name], err = strconv.ParseFloat(ns, 64); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(took[name], name+"-ns/event")
		}
		if lttng := took["lttng-1-threads"]; lttng > 0 {
			b.ReportMetric(lttng/took["1-threads"], "x-below-lttng")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// recordWithLttng starts a daemon and a session of LTTng, in a folder of their own, that record all events of ndk into memory.
func recordWithLttng(b *testing.B) {
	b.Helper()
	b.Setenv("LTTNG_HOME", b.TempDir())
	daemon := exec.Command("lttng-sessiond", "--no-kernel")
	if err := daemon.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = daemon.Process.Signal(os.Interrupt)
		_ = daemon.Wait()
	})
	for _, args := range [][]string{{"create", "bench", "--snapshot"}, {"enable-channel", "-u", "--subbuf-size=1M", "--num-subbuf=4", "c"},
		{"enable-event", "-u", "-c", "c", "ndk:*"}, {"start"}} {
		var out []byte
		var err error
		for range 50 { // the daemon may not listen yet
			if out, err = exec.Command("lttng", append([]string{"--no-sessiond"}, args...)...).CombinedOutput(); err == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if err != nil {
			b.Fatalf("lttng %q: %v\n%s", args, err, out)
		}
	}
}
