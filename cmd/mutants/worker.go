package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ndkoracle/internal/graph"
	"ndkoracle/internal/processor"
	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// The program of all mutants keeps TLC's graphs in its memory. It reads questions from its input, and writes the answers.
type (
	// A question is in which of the configurations the graph of a mutant is another one than TLC's.
	question struct {
		Mutant         int
		Configurations []string
	}
	answer struct {
		Found      string            // in which configuration, and by what; "" if nothing did
		Difference *graph.Difference // of the graphs, if it was found by one
		Error      string            // why it could not be tried
	}
)

// A kept configuration has its graph in memory.
type kept struct {
	tlc.Configuration
	graph *tlc.Graph
	limit time.Duration // of the processors' time, within which a mutant is compared
}

// serve answers questions until there are no more.
func serve(o options, in io.Reader, out io.Writer) error {
	unlimited()
	go watch()
	all := map[string]kept{}
	questions, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q question
		if err := questions.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(o.answer(q, all)); err != nil {
			return err
		}
	}
}

func (o options) answer(q question, all map[string]kept) answer {
	for _, name := range q.Configurations {
		if _, ok := all[name]; !ok {
			k, err := o.load(name)
			if err != nil {
				return answer{Error: err.Error()}
			}
			all[name] = k
		}
		if a := o.compare(q.Mutant, all[name]); a != (answer{}) {
			return a
		}
	}
	return answer{}
}

// load reads a graph, which is that of the model as it is, and sees how long it takes to find that.
func (o options) load(name string) (kept, error) {
	manifest, err := tlc.ReadManifest(o.tla())
	if err != nil {
		return kept{}, err
	}
	i := slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == name })
	if i < 0 {
		return kept{}, fmt.Errorf("no configuration %s", name)
	}
	g, err := o.runner().Kept(manifest[i])
	if err != nil {
		return kept{}, err
	}
	k := kept{manifest[i], g, time.Hour}
	start := processor.Time()
	if a := o.compare(nothing, k); a != (answer{}) {
		return kept{}, fmt.Errorf("nothing is changed, and it is found: %+v", a)
	}
	k.limit = 2*time.Second + 20*(processor.Time()-start)
	return k, nil
}

// compare makes the model a mutant, and compares its graph.
func (o options) compare(mutant int, k kept) (a answer) {
	defer func() {
		unlimited()
		if recover() != nil {
			a = answer{Found: k.Name + ": it panics"}
		}
	}()
	deadline.Store(int64(processor.Time() + k.limit))
	ceiling.Store(held() + mostMemory)
	become(mutant)
	machine, err := mc.Read(os.DirFS(o.tla()), k.Module, k.Name)
	if err != nil { // it was read with nothing changed
		return answer{Found: k.Name + ": its actions are told twice"}
	}
	difference, err := graph.Compare(machine, k.graph)
	switch {
	case err != nil:
		return answer{Found: fmt.Sprintf("%s: %v", k.Name, err)}
	case difference != nil:
		action, _, _ := strings.Cut(difference.Action, "(")
		return answer{Found: k.Name + " " + action, Difference: difference}
	}
	return answer{}
}

// Limits of the mutant that is being compared: the processor time of the program in nanoseconds by which it should have ended, and its memory in bytes.
var (
	deadline atomic.Int64
	ceiling  atomic.Uint64
)

func unlimited() {
	deadline.Store(math.MaxInt64)
	ceiling.Store(math.MaxUint64)
}

// held is how much memory the program holds, with that of the graphs that it keeps.
func held() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A mutant that does not end may ask for more and more memory.
const (
	mostMemory = 2 << 30 // for a mutant
	endless    = 4       // what the program exits with then
)

// watch ends the program when the mutant does not end.
func watch() {
	for range time.Tick(50 * time.Millisecond) {
		if held() > ceiling.Load() || int64(processor.Time()) > deadline.Load() {
			os.Exit(endless)
		}
	}
}

// A worker is a process of the program of all mutants.
type worker struct {
	process   *exec.Cmd
	questions *json.Encoder
	answers   *json.Decoder
	hangUp    io.Closer
}

func (o options) startWorker(ctx context.Context, p program) (*worker, error) {
	process := exec.CommandContext(ctx, p.command, "-root", o.root, "-build", o.build, "-serve")
	questions, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &worker{process, json.NewEncoder(questions), json.NewDecoder(answers), questions}, process.Start()
}

// stop ends the worker when it has answered, and returns how it ended.
func (w *worker) stop() error {
	w.hangUp.Close()
	return w.process.Wait()
}

// ask returns the answer to a question. A worker that does not survive the mutant is of no use any more; then alive is false.
func (w *worker) ask(q question) (a answer, alive bool) {
	err := w.questions.Encode(q)
	if err == nil {
		err = w.answers.Decode(&a)
	}
	if err == nil {
		return a, true
	}
	w.stop()
	switch end := w.process.ProcessState; end.ExitCode() {
	case endless:
		return answer{Found: "it does not end"}, false
	case fatal:
		return answer{Found: "it panics"}, false
	default:
		return answer{Error: fmt.Sprintf("%v, %v", err, end)}, false
	}
}

// fatal is what a Go program exits with that Go ends.
const fatal = 2

// A pool lends each worker to one question at a time.
type pool struct {
	options options
	program program
	idle    chan *worker // one for each job; nil stands for one that is to be started
}

func newPool(o options, p program) *pool {
	all := &pool{o, p, make(chan *worker, o.jobs)}
	for range o.jobs {
		all.idle <- nil
	}
	return all
}

// ask has a worker answer a question.
func (p *pool) ask(ctx context.Context, q question) (answer, error) {
	w := <-p.idle
	defer func() { p.idle <- w }()
	if w == nil {
		var err error
		if w, err = p.options.startWorker(ctx, p.program); err != nil {
			return answer{}, err
		}
	}
	a, alive := w.ask(q)
	if !alive {
		w = nil
	}
	if a.Error != "" {
		return answer{}, errors.New(a.Error)
	}
	return a, nil
}

// stop ends the workers, which must be idle.
func (p *pool) stop() {
	for range p.options.jobs {
		if w := <-p.idle; w != nil {
			w.stop()
		}
	}
}
