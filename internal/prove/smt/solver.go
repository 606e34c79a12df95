package smt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Solver is a program that decides formulas.
type Solver struct {
	Name    string
	Version string // the one that the pinned counts were made with
	Path    string // of the program
	args    func(limit time.Duration) []string
}

// The solvers are pinned to the versions of Debian 12: whether a formula with quantifiers is decided, and how fast, depends on
// the version.
var (
	Z3 = Solver{Name: "z3", Version: "4.8.12", Path: "z3", args: func(limit time.Duration) []string {
		return []string{"-in", "-smt2", fmt.Sprintf("timeout=%d", limit.Milliseconds())}
	}}
	CVC5 = Solver{Name: "cvc5", Version: "1.0.3", Path: "cvc5", args: func(limit time.Duration) []string {
		return []string{"--lang=smt2", "--incremental", "--full-saturate-quant", "--produce-models",
			fmt.Sprintf("--tlimit-per=%d", limit.Milliseconds()), "-"}
	}}
)

var versionNumber = regexp.MustCompile(`(?i)version (\d+(?:\.\d+)+)`)

// Check says so, and what would help, if the solver is missing or another version, or does not say its version in time.
func (s Solver) Check(ctx context.Context, limit time.Duration) error {
	if _, err := exec.LookPath(s.Path); err != nil {
		return fmt.Errorf("%s is missing: it decides the conditions of the proofs. On Debian 12: apt-get install %s (or make install)", s.Name, s.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	program := exec.CommandContext(ctx, s.Path, "--version")
	program.WaitDelay = time.Second // a child of it may have the pipe
	out, err := program.Output()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s --version does not answer within %v: is it the solver?", s.Path, limit)
	}
	if err != nil {
		return fmt.Errorf("%s --version: %w", s.Path, err)
	}
	found := versionNumber.FindSubmatch(out)
	switch {
	case found == nil:
		return fmt.Errorf("%s --version does not say a version, but %q", s.Path, strings.TrimSpace(string(out)))
	case string(found[1]) != s.Version:
		return fmt.Errorf("%s is of version %s, and the proofs are pinned to %s, which Debian 12 has", s.Name, found[1], s.Version)
	}
	return nil
}

// Answer is what a solver says of a set of assertions.
type Answer string

// The answers. Timeout stands for a solver that did not answer in time; it counts as Unknown.
const (
	Unsat   Answer = "unsat"
	Sat     Answer = "sat"
	Unknown Answer = "unknown"
)

// Session is a running solver.
type Session struct {
	*Printer

	solver Solver
	limit  time.Duration
	stdin  *bufio.Writer
	lines  chan string
	end    func() error
	failed error
}

// Start starts a solver, with a time limit for each question. It ends with ctx.
func (s Solver) Start(ctx context.Context, limit time.Duration) (*Session, error) {
	ctx, cancel := context.WithCancel(ctx)
	program := exec.CommandContext(ctx, s.Path, s.args(limit)...)
	in, err := program.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	out, err := program.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := program.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	w := bufio.NewWriter(in)
	session := &Session{Printer: NewPrinter(w), solver: s, limit: limit, stdin: w, lines: make(chan string)}
	go read(ctx, out, session.lines)
	session.end = func() error {
		in.Close()
		cancel()
		program.Wait()
		return nil
	}
	session.Line("(set-option :produce-models true)")
	session.Line("(set-logic ALL)")
	if err := session.canFail(); err != nil {
		session.Close()
		return nil, err
	}
	return session, nil
}

// canFail asks a question of which the answer is sat: a solver that says unsat whatever it is asked proves nothing.
func (s *Session) canFail() error {
	s.Push()
	defer s.Pop()
	s.Assert(LessOrEqual(Number(1), Var("any", Int)))
	answer, err := s.Ask()
	if err == nil && answer != Sat {
		err = fmt.Errorf("%s says %s of 1 <= x, which has a model: it decides nothing", s.solver.Name, answer)
	}
	return err
}

func read(ctx context.Context, out io.Reader, lines chan<- string) {
	defer close(lines)
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		select {
		case lines <- scanner.Text():
		case <-ctx.Done():
			return
		}
	}
}

// Close ends the solver.
func (s *Session) Close() error { return s.end() }

// starved is how long beyond its limit a solver may take to answer, where other programs have the processors.
const starved = 30 * time.Second

// line returns what the solver says next.
func (s *Session) line() (string, error) {
	if s.failed != nil {
		return "", s.failed
	}
	if err := errors.Join(s.Err(), s.stdin.Flush()); err != nil {
		s.failed = fmt.Errorf("%s does not take questions any more: %w", s.solver.Name, err)
		return "", s.failed
	}
	select {
	case text, ok := <-s.lines:
		if !ok {
			s.failed = fmt.Errorf("%s has ended without an answer", s.solver.Name)
		}
		return text, s.failed
	case <-time.After(2*s.limit + starved):
		s.failed = fmt.Errorf("%s does not answer within %v, though it was told to", s.solver.Name, s.limit)
		return "", s.failed
	}
}

// Ask asks whether the assertions have a model.
func (s *Session) Ask() (Answer, error) {
	s.Line("(check-sat)")
	text, err := s.line()
	if err != nil {
		return Unknown, err
	}
	switch text {
	case "sat", "unsat", "unknown":
		return Answer(text), nil
	case "timeout":
		return Unknown, nil
	}
	if strings.Contains(text, "canceled") {
		return Unknown, fmt.Errorf("%s gave up while it read a formula: the time limit of %v is too short", s.solver.Name, s.limit)
	}
	return Unknown, fmt.Errorf("%s says %q in the place of an answer", s.solver.Name, text)
}

// Declare declares the symbols of a term of which the value will be asked.
func (s *Session) Declare(t *Term) { s.prepare(t) }

// Value returns the value of a term in the model, after Sat. Its symbols must be declared before the question.
func (s *Session) Value(t *Term) (string, error) {
	if t.IsKnown() {
		return t.Value(), nil
	}
	s.Line("(get-value (%s))", s.text(t))
	var all strings.Builder
	for open := 1; open > 0; {
		text, err := s.line()
		if err != nil {
			return "", err
		}
		all.WriteString(" " + text)
		open = strings.Count(all.String(), "(") - strings.Count(all.String(), ")")
	}
	return s.value(t, all.String())
}

var lastValue = regexp.MustCompile(`(true|false|-?\d+|\(- \d+\))\s*\)\s*\)\s*$`)

func (s *Session) value(t *Term, said string) (string, error) {
	found := lastValue.FindStringSubmatch(said)
	if found == nil {
		return "", fmt.Errorf("%s says %q in the place of a value", s.solver.Name, said)
	}
	text := strings.NewReplacer("(- ", "-", ")", "").Replace(found[1])
	switch t.Sort {
	case Bool:
		return strings.ToUpper(text), nil
	case String:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", err
		}
		if name, known := s.TextOf(n); known {
			return strconv.Quote(name), nil
		}
		return "a string that is not named", nil
	}
	return text, nil
}
