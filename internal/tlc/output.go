// Package tlc runs TLC, the model checker of TLA+, on the configurations of tla/, and compares what it finds with what
// the manifest there says: the verdict, the property that breaks, the number of distinct states and the depth.
package tlc

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Verdict is TLC's answer for one configuration.
type Verdict string

// The answers. An Error is TLC's own: a module that cannot be parsed, an expression without a value, a deadlock.
const (
	Pass  Verdict = "pass"
	Fail  Verdict = "fail"
	Error Verdict = "error"
)

// Result is what TLC said of one configuration.
type Result struct {
	Version  string // of TLC
	Verdict  Verdict
	Property string // the property that broke; "" when it is a temporal one, which TLC does not name
	States   int    // distinct states
	Depth    int    // of the state graph
	Trace    []Step // the counter-example
	Errors   []string
	Elapsed  time.Duration

	left int // states that were found, and not looked at
}

// Step is one state of a counter-example, and the action that led to it. Stuttering and Back end the counter-example of
// a temporal property: nothing more happens, or the steps from number Back on are repeated for ever.
type Step struct {
	Number     int
	Action     string // without prefixes: "Init" for the first state
	Vars       []Var
	Stuttering bool
	Back       int
}

// Var is a variable with its value, as TLC prints it.
type Var struct {
	Name, Value string
}

// Numbers of TLC's messages, from its option -tool.
const (
	msgVersion            = 2262
	msgInvariantInitial   = 2107
	msgPropertyInitial    = 2108
	msgInvariant          = 2110
	msgActionProperty     = 2112
	msgTemporal           = 2116
	msgBehaviorUpToHere   = 2121
	msgBackToState        = 2122
	msgSuccess            = 2193
	msgDepth              = 2194
	msgStates             = 2199
	msgProgress           = 2200
	msgState              = 2217
	msgStuttering         = 2218
	msgCounterexample     = 2264
	msgServerReady        = 7000
	msgWorkerRegistered   = 7001
	msgWorkerStatistics   = 7003 // of a worker that is told to end
	msgFinished           = 2186
	classError            = 1
	longestLine           = 16 << 20
	startMarker           = "@!@!@STARTMSG "
	endMarker             = "@!@!@ENDMSG "
	initialPredicateLabel = "<Initial predicate>"
)

var (
	violation = regexp.MustCompile(`^(?:Invariant|Action property|Property) (?:\w+!)?(\S+) is violated`)
	states    = regexp.MustCompile(`([\d,]+) distinct states found`)
	leftOver  = regexp.MustCompile(`([\d,]+) states left on queue`)
	depth     = regexp.MustCompile(`search is (\d+)\.`)
	progress  = regexp.MustCompile(`^Progress\((\d+)\)`)
	stateHead = regexp.MustCompile(`^(\d+): (.*)`)
	action    = regexp.MustCompile(`^<(?:.*!)?(?:MC)?(\w+) line `)
	variable  = regexp.MustCompile(`^(?:/\\ )?(\w+) = (.*)`)
)

// Parse reads what TLC printed with its option -tool. An output that breaks off is an error.
func Parse(r io.Reader) (Result, error) {
	var (
		result   Result
		body     []string
		code     = -1
		class    int
		finished bool
		server   bool // the output is that of a server in the distributed mode, which does not say that all went well
	)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if head, ok := strings.CutPrefix(line, startMarker); ok {
			if _, err := fmt.Sscanf(head, "%d:%d", &code, &class); err != nil {
				return result, fmt.Errorf("line %d: a message without number and class: %q", n, line)
			}
			body = nil
			continue
		}
		if !strings.HasPrefix(line, endMarker) {
			if code >= 0 {
				body = append(body, line)
			}
			continue
		}
		finished = finished || code == msgFinished
		server = server || code == msgServerReady
		if err := result.take(code, class, body); err != nil {
			return result, fmt.Errorf("line %d: %w", n, err)
		}
		code = -1
	}
	if err := lines.Err(); err != nil {
		return result, err
	}
	if server && finished && result.left == 0 && result.Verdict == "" {
		result.Verdict = Pass
	}
	switch {
	case len(result.Errors) > 0:
		result.Verdict = Error
	case !finished || result.Verdict == "":
		return result, fmt.Errorf("the output of TLC breaks off: it neither passed nor failed")
	}
	return result, nil
}

// take adds one message to the result.
func (r *Result) take(code, class int, body []string) error {
	text := strings.Join(body, "\n")
	switch code {
	case msgVersion:
		r.Version = strings.TrimSpace(text)
	case msgInvariantInitial, msgPropertyInitial, msgInvariant, msgActionProperty:
		m := violation.FindStringSubmatch(text)
		if m == nil {
			return fmt.Errorf("a violation without the name of what is violated: %q", text)
		}
		r.Verdict, r.Property = Fail, m[1]
	case msgTemporal:
		r.Verdict = Fail
	case msgSuccess:
		r.Verdict = Pass
	case msgStates:
		if err := number(leftOver, text, &r.left); err != nil {
			return err
		}
		return number(states, text, &r.States)
	case msgDepth:
		return number(depth, text, &r.Depth)
	case msgProgress: // the depth is printed nowhere else when a temporal property fails
		return number(progress, text, &r.Depth)
	case msgState:
		return r.takeState(body)
	case msgStuttering:
		r.Trace = append(r.Trace, Step{Number: len(r.Trace) + 1, Stuttering: true})
	case msgBackToState:
		m := stateHead.FindStringSubmatch(text)
		if m == nil {
			return fmt.Errorf("a loop without the state it goes back to: %q", text)
		}
		back, _ := strconv.Atoi(m[1])
		r.Trace = append(r.Trace, Step{Number: len(r.Trace) + 1, Back: back})
	case msgBehaviorUpToHere, msgCounterexample:
		r.Verdict = Fail // a server says no more than this
	default:
		if class == classError {
			r.Errors = append(r.Errors, text)
		}
	}
	return nil
}

func (r *Result) takeState(body []string) error {
	head := strings.Join(body[:min(len(body), 1)], "")
	m := stateHead.FindStringSubmatch(head)
	if m == nil {
		return fmt.Errorf("a state without number: %q", head)
	}
	step := Step{Action: "Init"}
	step.Number, _ = strconv.Atoi(m[1])
	if m[2] != initialPredicateLabel {
		step.Action = m[2]
		if a := action.FindStringSubmatch(m[2]); a != nil {
			step.Action = a[1]
		}
	}
	for _, line := range body[1:] {
		if m := variable.FindStringSubmatch(line); m != nil {
			step.Vars = append(step.Vars, Var{Name: m[1], Value: m[2]})
		} else if n := len(step.Vars); n > 0 {
			step.Vars[n-1].Value += "\n" + line
		}
	}
	r.Trace = append(r.Trace, step)
	return nil
}

func number(pattern *regexp.Regexp, text string, into *int) error {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("no number in %q", text)
	}
	n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	*into = n
	return err
}
