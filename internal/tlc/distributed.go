package tlc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ndkoracle/internal/process"
)

// loopback is where server and workers of the distributed mode meet.
const loopback = "127.0.0.1"

// RunDistributed runs one configuration in TLC's distributed mode: a server that holds the states, and workers that compute
// their successors, each a process with one thread, on the loopback address. It finds the same distinct states as Run. TLC
// checks invariants and properties of steps so, no temporal ones; it does not name what breaks, and takes no configuration
// from a folder below the modules'. When ctx ends, so do all processes.
func (r Runner) RunDistributed(ctx context.Context, c Configuration, workers int) (Result, error) {
	if strings.Contains(c.Name, "/") {
		return Result{}, fmt.Errorf("%s: TLC's distributed mode reads no configuration from a folder", c.Name)
	}
	r.Build = filepath.Join(r.Build, "distributed")
	scratch, err := filepath.Abs(filepath.Join(r.folder(c), "scratch"))
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(scratch)
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return Result{}, err
	}
	log, err := os.Create(r.Log(c))
	if err != nil {
		return Result{}, err
	}
	defer log.Close()
	port, err := freePort()
	if err != nil {
		return Result{}, err
	}

	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	server, err := r.process(limited, scratch, port, "-Xmx4g", "tlc2.tool.distributed.TLCServer", "-tool", "-deadlock", "-fp", "0",
		"-metadir", filepath.Join(scratch, "states"), "-config", c.Cfg(), c.Module)
	if err != nil {
		return Result{}, err
	}
	output, err := server.StdoutPipe()
	if err != nil {
		return Result{}, err
	}
	server.Stderr = server.Stdout // not the log: a message that follows in it could begin within a line of the server's complaints
	tooLate := fmt.Errorf("no answer within %v", r.Timeout)
	begun := time.Now()
	if err := process.Start(server); errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return Result{}, tooLate // before it could start
	} else if err != nil {
		return Result{}, err
	}
	pool := workerPool{r: r, ctx: limited, scratch: scratch, port: port}
	copied := pool.follow(output, log, workers)
	exit, late := server.Wait(), limited.Err() != nil
	cancel() // a worker whose server is gone would wait for another
	failed := pool.wait()
	elapsed := time.Since(begun)
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case late:
		return Result{}, tooLate
	case copied != nil:
		return Result{}, copied
	}
	if _, err := log.Seek(0, io.SeekStart); err != nil {
		return Result{}, err
	}
	result, err := Parse(log)
	result.Elapsed = elapsed
	if result.Verdict == Error && pool.late {
		return Result{}, fmt.Errorf("%s: a worker registered when all states had been looked at, where TLC's server may fail: too small for %d workers",
			c.Name, workers)
	}
	if err != nil {
		return result, fmt.Errorf("%s: %w", r.Log(c), errors.Join(err, exit, failed))
	}
	return result, nil
}

// freePort returns a free port of the loopback address: two servers can't use the same port for their workers.
func freePort() (int, error) {
	l, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// process returns one of the processes of the distributed mode, which has not started yet.
func (r Runner) process(ctx context.Context, scratch string, port int, heap, class string, args ...string) (*exec.Cmd, error) {
	jar, err := filepath.Abs(r.Jar.Path)
	if err != nil {
		return nil, err
	}
	java := process.Command(ctx, "java", append([]string{"-XX:+UseSerialGC", heap, "-Djava.io.tmpdir=" + scratch,
		"-Djava.rmi.server.hostname=" + loopback, fmt.Sprintf("-Dtlc2.tool.distributed.TLCServer.port=%d", port),
		"-Dtlc2.tool.distributed.TLCWorker.threadCount=1", "-cp", jar, class}, args...)...)
	java.Dir, err = filepath.Abs(r.Dir)
	return java, err
}

// A workerPool is the workers of a server.
type workerPool struct {
	r       Runner
	ctx     context.Context
	scratch string
	port    int
	running sync.WaitGroup
	failed  chan error
	late    bool // a worker registered when the server was already taking leave of another
}

// follow copies the server's output to its log, and starts the workers once the server reports that it is ready. Earlier they would find no server,
// and sleep for longer and longer.
func (p *workerPool) follow(output io.Reader, log io.Writer, workers int) error {
	p.failed = make(chan error, workers)
	lines := bufio.NewReader(output)
	for started, ending := false, false; ; {
		line, err := lines.ReadString('\n')
		if _, err := io.WriteString(log, line); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case begins(line, msgServerReady) && !started:
			started = true
			p.start(workers)
		case begins(line, msgWorkerStatistics):
			ending = true
		case begins(line, msgWorkerRegistered):
			p.late = p.late || ending
		}
	}
}

// begins reports whether the message with a number begins with this line.
func begins(line string, number int) bool {
	return strings.HasPrefix(line, fmt.Sprintf("%s%d:", startMarker, number))
}

func (p *workerPool) start(workers int) {
	for range workers {
		p.running.Add(1)
		go func() {
			defer p.running.Done()
			p.failed <- p.work()
		}()
	}
}

func (p *workerPool) work() error {
	worker, err := p.r.process(p.ctx, p.scratch, p.port, "-Xmx1g", "tlc2.tool.distributed.TLCWorker", loopback)
	if err != nil {
		return err
	}
	if said, err := process.Run(worker); err != nil && p.ctx.Err() == nil {
		return fmt.Errorf("a worker: %w\n%s", err, said)
	}
	return nil
}

// wait waits until all workers have ended, and returns what went wrong with them.
func (p *workerPool) wait() error {
	p.running.Wait()
	close(p.failed)
	var all []error
	for err := range p.failed {
		all = append(all, err)
	}
	return errors.Join(all...)
}
