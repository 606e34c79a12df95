package execprovider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"ndkoracle/internal/process"
	"ndkoracle/ndk"
)

// Options select the program to run, and how its errors are reported.
type Options struct {
	Command []string      // the program, and its arguments
	Stderr  io.Writer     // where its standard error goes; nil discards it
	Answer  time.Duration // time limit of a call; 0 means 30 s
	// Failed is called once when the run can't go on: the program exited, was silent, or violated the protocol. Outstanding calls return once the adapter
	// was released.
	Failed func(error)
}

// An Adapter is one that the program is the provider of. All but Release and Err are what a scenario calls.
type Adapter struct {
	options  Options
	info     opened
	wire     *wire
	memory   memory
	stop     context.CancelFunc
	stdin    io.Closer
	read     chan struct{} // closed when nothing more is read
	released chan struct{}

	mu       sync.Mutex
	err      error
	last     map[string]int
	cqs      map[string]*cq
	qps      map[string]*qp
	requests map[string]*request
	closes   map[string]ndk.NdkCloseCompletion // by object
	closed   bool
	release  sync.Once
}

// opened is what the program says of itself.
type opened struct {
	Version      string            `json:"version"` // of NDKPI
	CqDepth      uint32            `json:"max_cq_depth"`
	Initiator    uint32            `json:"max_initiator_depth"`
	Receive      uint32            `json:"max_receive_depth"`
	Inline       uint32            `json:"max_inline"`
	FastRegister bool              `json:"fast_register"`
	Bind         bool              `json:"bind"`
	Invalidates  bool              `json:"remote_invalidate"`
	Describe     map[string]string `json:"describe"`
	major, minor uint16
}

// Open starts the program, and sends it the seed of its choices. An error says that it can't be started, or does not speak the protocol.
func Open(ctx context.Context, o Options, seed uint64) (*Adapter, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no program is named")
	}
	if o.Answer == 0 {
		o.Answer = 30 * time.Second
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	ctx, stop := context.WithCancel(ctx)
	c := process.Command(ctx, o.Command[0], o.Command[1:]...)
	c.Stderr = o.Stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		stop()
		return nil, err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		stop()
		return nil, err
	}
	if err := process.Start(c); err != nil {
		stop()
		return nil, fmt.Errorf("the provider %s can't be started: %w", o.Command[0], err)
	}
	a := newAdapter(o, stdin)
	a.stop, a.stdin = stop, stdin
	go func() {
		defer close(a.read)
		a.ends(a.wire.read(stdout), c)
	}()
	if err := a.open(seed); err != nil {
		a.Release()
		return nil, err
	}
	return a, nil
}

func newAdapter(o Options, out io.Writer) *Adapter {
	a := &Adapter{options: o, read: make(chan struct{}), released: make(chan struct{}), last: map[string]int{}, cqs: map[string]*cq{}, qps: map[string]*qp{},
		requests: map[string]*request{}, closes: map[string]ndk.NdkCloseCompletion{}}
	a.wire = newWire(out, a.called)
	return a
}

// ends waits for the program, and says why it ended, unless it was asked to.
func (a *Adapter) ends(why error, c *exec.Cmd) {
	if !errors.Is(why, errEnded) {
		a.fails(why)
		a.stop()
	}
	ended := c.Wait()
	a.mu.Lock()
	closed := a.closed
	a.mu.Unlock()
	if closed && ended == nil {
		return
	}
	if ended != nil {
		why = fmt.Errorf("the program ended: %w", ended)
	}
	a.fails(why)
}

// fails records why the run can't go on. The first reason counts.
func (a *Adapter) fails(err error) {
	a.mu.Lock()
	first := a.err == nil
	if first {
		a.err = fmt.Errorf("provider %s: %w", a.options.Command[0], err)
	}
	told := a.err
	a.mu.Unlock()
	if first {
		a.options.Failed(told)
	}
}

// Err says what went wrong that no call could report, or nil.
func (a *Adapter) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// Release ends the program, and lets the calls return that it has not answered. The recording is over by then, so their results are not recorded.
func (a *Adapter) Release() {
	a.release.Do(func() {
		close(a.released)
		a.stdin.Close()
		select {
		case <-a.read:
		case <-time.After(3 * time.Second): // it has read to the end of its input by then
			a.stop()
			<-a.read
		}
		a.stop()
		a.wire.calls.Wait()
	})
}

// open asks the program what it offers.
func (a *Adapter) open(seed uint64) error {
	if err := a.call("Open", params{"seed": seed}, &a.info); err != nil {
		return a.because(err)
	}
	if n, err := fmt.Sscanf(a.info.Version, "%d.%d", &a.info.major, &a.info.minor); n != 2 {
		return fmt.Errorf("provider %s: it tells the version %q of NDKPI, and not one such as 2.1: %w", a.options.Command[0], a.info.Version, err)
	}
	return nil
}

// because prefers why the program ended to what one call makes of that.
func (a *Adapter) because(err error) error {
	if told := a.Err(); told != nil {
		return told
	}
	return fmt.Errorf("provider %s: %w", a.options.Command[0], err)
}

// call calls a method of the program, and decodes its answer.
func (a *Adapter) call(method string, p params, result any) error {
	limit := time.AfterFunc(a.options.Answer, func() { // it may not even read the call
		a.fails(fmt.Errorf("%s was not answered within %v", method, a.options.Answer))
		a.stop()
	})
	defer limit.Stop()
	answer, err := a.wire.call(method, p)
	if err != nil {
		return err
	}
	m, ok := <-answer
	switch {
	case !ok:
		<-a.read // by then it is said how it ended
		return errEnded
	case m.Error != nil:
		return m.Error
	case len(m.Result) == 0:
		return fmt.Errorf("%s: the answer has neither a result nor an error", method)
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return fmt.Errorf("%s: the result %s: %w", method, shortened(m.Result), err)
	}
	return nil
}

// ask is call for a method whose failure ends the run. It returns false after a failure, once the recording is over.
func (a *Adapter) ask(method string, p params, result any) bool {
	err := a.call(method, p, result)
	if err == nil {
		return true
	}
	a.fails(err)
	<-a.released
	return false
}

// status is ask for a method that answers with a status. A method that the program does not have is not supported.
func (a *Adapter) status(method string, p params) ndk.Status {
	var answer struct {
		Status *status `json:"status"`
	}
	err := a.call(method, p, &answer)
	var refused *rpcError
	switch {
	case errors.As(err, &refused) && refused.Code == methodNotFound:
		return ndk.STATUS_NOT_SUPPORTED
	case err == nil && answer.Status == nil:
		err = fmt.Errorf("%s: the result has no status", method)
	case err == nil:
		return ndk.Status(*answer.Status)
	}
	a.fails(err)
	<-a.released
	return ndk.STATUS_INTERNAL_ERROR
}

// status is decoded from its name.
type status ndk.Status

// UnmarshalJSON reads the name of an NTSTATUS.
func (s *status) UnmarshalJSON(text []byte) error {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return err
	}
	value, err := ndk.ParseStatus(name)
	*s = status(value)
	return err
}
