// Command testreport reads the output of `go test -json` and summarizes it: each package's own line as it comes, the
// output of each test that failed or was skipped, and at the end how many tests, subtests counted, in a line
// "N passed, N failed, N skipped".
//
//	testreport [-counts FILE]
//
// With -counts that line is appended to FILE instead. Exits 1 when anything failed, or when no test passed.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of `go test -json`; `go doc test2json` describes it.
type event struct {
	Action, Package, Test, Output string
}

type testID struct{ pkg, name string }

type report struct {
	out     io.Writer
	running map[testID][]string // what the tests that have not ended have printed
	broken  bool                // something failed: a test, a build, or a test's process

	passed, failed, skipped int
}

func (r *report) add(e event) {
	id := testID{e.Package, e.Test}
	switch {
	case e.Action == "output" && e.Test != "":
		r.running[id] = append(r.running[id], e.Output)
	case e.Action == "output" && e.Output == "PASS\n": // the package's line says it again
	case e.Action == "output", e.Action == "build-output":
		fmt.Fprint(r.out, e.Output)
	case e.Action == "build-fail", e.Action == "fail" && e.Test == "":
		r.broken = true
	case e.Test == "":
	case e.Action == "pass":
		r.passed++
		delete(r.running, id)
	case e.Action == "skip":
		r.skipped++
		r.tell(id)
	case e.Action == "fail":
		r.failed++
		r.tell(id)
	}
}

func (r *report) tell(id testID) {
	fmt.Fprint(r.out, strings.Join(r.running[id], ""))
	delete(r.running, id)
}

// read adds every event of in. What is not an event, such as a compiler's message, is passed on as it is.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil && e.Action != "" {
			r.add(e)
		} else {
			fmt.Fprintf(r.out, "%s", line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) counts() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.passed, r.failed, r.skipped)
}

// verdict is nil when all is well. A test that never ended, because its process died, is a failure.
func (r *report) verdict() error {
	for id := range r.running {
		r.failed++
		fmt.Fprintf(r.out, "%s: %s did not end\n", id.pkg, id.name)
		r.tell(id)
	}
	switch {
	case r.failed > 0 || r.broken:
		return errors.New("tests failed")
	case r.passed == 0:
		return errors.New("no test passed")
	}
	return nil
}

func main() {
	file := flag.String("counts", "", "append the numbers of tests to `FILE` instead of printing them")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *file); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, file string) error {
	r := &report{out: out, running: map[testID][]string{}}
	if err := r.read(in); err != nil {
		return err
	}
	verdict := r.verdict()
	if file == "" {
		fmt.Fprintln(out, r.counts())
		return verdict
	}
	to, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(to, r.counts())
	return errors.Join(verdict, err, to.Close())
}
