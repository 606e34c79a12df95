package tlc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	// wrapper is the module that is written around an MC module to have the arguments of its actions.
	wrapper = "Graph"
	// prefix is the name of each definition in it, before its number.
	prefix = "Instance"
)

// Graph has TLC write the complete state graph of a configuration. Actions are all instances of the MC module's actions,
// such as MCNdkArmCq("q", "ANY"): TLC names the definition that a step is of, but not its arguments, so each instance gets a
// definition of its own, in a module around the MC module. Its next-state relation is MCNext or any of the instances; that
// neither has a step which the other has not is seen in what TLC writes. Invariants and properties are not checked. The graph
// is kept in a file for the next time.
func (r Runner) Graph(ctx context.Context, c Configuration, actions []string) (*Graph, error) {
	file := r.graphFile(c)
	cfg, err := os.ReadFile(filepath.Join(r.Dir, c.Cfg()))
	if err != nil {
		return nil, err
	}
	sum, err := r.sumOf(wrapModule(c.Module, actions, "MCNext"), wrapConfiguration(string(cfg)))
	if err != nil {
		return nil, err
	}
	if g, err := load(file, sum); g != nil || err != nil && !errors.Is(err, os.ErrNotExist) {
		return g, err
	}
	g, err := r.write(ctx, c, actions, nil)
	if err != nil {
		return nil, err
	}
	return g, save(file, sum, g)
}

// write has TLC write a graph, and reads it.
func (r Runner) write(ctx context.Context, c Configuration, actions []string, like *likeness) (*Graph, error) {
	cfg, err := os.ReadFile(filepath.Join(r.Dir, c.Cfg()))
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(r.graphFile(c))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	// Each run has a folder of its own: others may want the same graph at the same time. It stays when TLC complains.
	r.Build, err = os.MkdirTemp(folder, "run")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(r.Build, wrapper+".tla"), wrapModule(c.Module, actions, "MCNext"), 0o644); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(r.Build, wrapper+".cfg"), wrapConfiguration(string(cfg)), 0o644); err != nil {
		return nil, err
	}
	g, err := r.dump(ctx, c, actions, like)
	if err != nil {
		return nil, err
	}
	return g, os.RemoveAll(r.Build)
}

// graphFile returns where the graph of a configuration is kept.
func (r Runner) graphFile(c Configuration) string {
	r.Build = filepath.Join(r.Build, "graph")
	return filepath.Join(r.folder(c), "graph.gob.gz")
}

// dump runs TLC on the wrapper in the folder Build, and reads what it writes.
func (r Runner) dump(ctx context.Context, c Configuration, actions []string, like *likeness) (*Graph, error) {
	// TLC writes to a file whose name ends in .dot; a link makes it our pipe, and nothing goes through the disk.
	link := filepath.Join(r.Build, "graph.dot")
	if err := os.Symlink("/dev/fd/3", link); err != nil {
		return nil, err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()

	type answer struct {
		graph *Graph
		err   error
	}
	answers := make(chan answer, 1)
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		graph, err := readDump(out, actions, like)
		if err != nil && !errors.Is(err, errBreaksOff) && (like != nil || !endsSoon(out)) {
			cancel() // TLC would wait for a reader
		}
		answers <- answer{graph, err}
	}()
	result, err := r.run(reading, c, r.Build, wrapper, wrapper+".cfg", in, "-dump", "dot,actionlabels", "graph.dot")
	in.Close()
	read := <-answers
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case read.err != nil && !errors.Is(read.err, errBreaksOff) && (like != nil || result.Verdict != Error):
		return nil, read.err
	case result.Verdict == Error: // which may be why the dump is not as it should be
		return nil, fmt.Errorf("%s: %s", r.Log(c), strings.Join(result.Errors, "\n"))
	case err != nil:
		return nil, err
	case read.err != nil:
		return nil, read.err
	case result.States != read.graph.States():
		return nil, fmt.Errorf("TLC found %d distinct states, and wrote %d", result.States, read.graph.States())
	}
	read.graph.Depth = result.Depth
	return read.graph, nil
}

// endsSoon reads on a dump that is not as it should be, and reports whether it ends within a megabyte: then TLC could not go on, and is
// about to say why.
func endsSoon(dump io.Reader) bool {
	_, err := io.CopyN(io.Discard, dump, 1<<20)
	return err != nil
}

// wrapModule returns a module around another, in which each action with its arguments has a definition. The next-state relation
// is any of them, or that of the other, if it is named.
func wrapModule(module string, actions []string, next string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---- MODULE %s ----\nEXTENDS %s\n", wrapper, module)
	for i, action := range actions {
		// Without the conjunction TLC would name the action after the operator.
		fmt.Fprintf(&b, "%s%d == TRUE /\\ %s\n", prefix, i, action)
	}
	fmt.Fprintf(&b, "%sNext ==\n", wrapper)
	if next != "" {
		fmt.Fprintf(&b, "  \\/ %s\n", next)
	}
	for i := range actions {
		fmt.Fprintf(&b, "  \\/ %s%d\n", prefix, i)
	}
	b.WriteString("====\n")
	return []byte(b.String())
}

// wrapConfiguration returns a configuration with the same constants that checks nothing.
func wrapConfiguration(cfg string) []byte {
	return []byte(OnlyConstants(cfg) + "INIT MCInit\nNEXT " + wrapper + "Next\n")
}

// OnlyConstants returns what a configuration says of constants, and whether it checks for deadlocks.
func OnlyConstants(cfg string) string {
	var b strings.Builder
	keep := true
	for line := range strings.Lines(cfg) {
		if words := strings.Fields(line); len(words) > 0 {
			switch words[0] {
			case "SPECIFICATION", "INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES":
				keep = false
			case "CONSTANT", "CONSTANTS", "CHECK_DEADLOCK":
				keep = true
			}
		}
		if keep {
			b.WriteString(line)
		}
	}
	return b.String()
}
