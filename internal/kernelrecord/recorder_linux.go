package kernelrecord

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"ndkoracle/internal/kernelrecord/events"
	"ndkoracle/trace"
)

// Recorder records a device, from Open to Close.
type Recorder struct {
	device   device
	options  Options
	programs programs
	handlers map[uint64]symbol
	opcodes  map[uint32]string
	reader   *ringbuf.Reader
	misses   uint64 // before anything was recorded
	start    uint64
}

// Open finds the device and attaches the programs. Recording begins with Run.
func Open(o Options) (r *Recorder, err error) {
	name, err := choose(infiniband, o.Device)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat("/sys/kernel/btf/vmlinux"); err != nil {
		return nil, errors.New("the kernel has no types (/sys/kernel/btf/vmlinux): it has to be built with CONFIG_DEBUG_INFO_BTF and CONFIG_DEBUG_INFO_BTF_MODULES, as those of most distributions are")
	}
	r = &Recorder{options: o}
	defer func() {
		if err != nil {
			r.Close()
			r, err = nil, explain(err)
		}
	}()
	t := types{btf.NewCache()}
	if r.device, err = t.find(name); err != nil {
		return r, fmt.Errorf("finding the device %s in the kernel: %w", name, err)
	}
	targets, handlers, err := t.targets(r.device)
	if err != nil {
		return r, fmt.Errorf("finding the functions of %s: %w", name, err)
	}
	r.handlers, r.device.driver = handlers, targets[0].function.module
	if r.opcodes, err = t.opcodes(r.device.driver); err != nil {
		return r, fmt.Errorf("the kernel's enum ib_wc_opcode: %w", err)
	}
	// A trampoline runs first what was attached last: the first copies, of which the second ones then see whether they ran.
	for _, second := range []uint32{1, 0} {
		if err := r.programs.load(t, r.device, targets, second); err != nil {
			return r, err
		}
	}
	r.reader, err = ringbuf.NewReader(r.programs.collections[0].Maps["ring"])
	return r, err
}

// explain says what to do about an error of the kernel's.
func explain(err error) error {
	var refused *ebpf.VerifierError
	switch {
	case errors.As(err, &refused), errors.Is(err, ebpf.ErrNotSupported), errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("this kernel (Linux %s on %s) does not take the programs, which need Linux 5.15, on arm64 6.4: %v", release(), runtime.GOARCH, err)
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return fmt.Errorf("attaching to the kernel needs root, or CAP_BPF, CAP_PERFMON, CAP_SYS_RESOURCE and CAP_SYSLOG: %v", err)
	}
	return err
}

// release returns the version of the kernel.
func release() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

// Header returns the header of the trace.
func (r *Recorder) Header() trace.Header {
	h := header(r.device.name, r.device.driver, release(), r.options)
	if h.Adapter["driver"] == "" {
		delete(h.Adapter, "driver")
	}
	return h
}

// now is the time of records.
func now() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return uint64(t.Nano())
}

// patience is how long Run waits for rest.
const patience = 10 * time.Second

// look is how often the ring is looked at, where no one wakes the reader.
const look = 20 * time.Millisecond

// Run records until ctx is done, and hands each event to emit. Where the cause is ErrEnded it waits until the device has been silent for the time of rest.
func (r *Recorder) Run(ctx context.Context, emit func(*trace.Event) error) (report Report, err error) {
	r.start = now()
	known := map[uint64]bool{}
	for address := range r.handlers {
		known[address], known[address+4] = true, true
	}
	converter := events.New(events.Options{Rest: uint64(r.options.Rest), Start: r.start, Opcodes: r.opcodes, Handlers: known}, emit)
	var order events.Order
	r.misses = r.programs.misses()
	if err := r.set("enabled", 1); err != nil {
		return report, err
	}
	var record events.Record
	var raw ringbuf.Record
	drain := func() error { // takes what there is, and what comes for a moment
		r.reader.SetDeadline(time.Now().Add(look))
		for {
			switch err := r.reader.ReadInto(&raw); {
			case errors.Is(err, os.ErrDeadlineExceeded):
				return nil
			case err != nil:
				return err
			}
			if err := events.Decode(raw.RawSample, &record); err != nil {
				return err
			}
			if err := order.Add(&record, converter.Record); err != nil {
				return err
			}
		}
	}
	var stopped time.Time
	for {
		if err := drain(); err != nil {
			return report, err
		}
		if err := converter.Tick(now()); err != nil {
			return report, err
		}
		if ctx.Err() == nil {
			continue
		}
		if stopped.IsZero() {
			stopped = time.Now()
		}
		if context.Cause(ctx) != ErrEnded || r.options.Rest == 0 || converter.AtRest() || time.Since(stopped) >= patience {
			break
		}
	}
	if err := r.set("enabled", 0); err != nil {
		return report, err
	}
	missed := r.programs.misses() - r.misses
	if err := drain(); err != nil {
		return report, err
	}
	report.Report, report.AtRest, err = converter.Finish()
	report.Attached = len(r.programs.first) / 2
	for _, address := range report.Unheard {
		report.Missing = append(report.Missing, r.nameOf(address))
	}
	return report, errors.Join(err, r.account(&report, missed, order.Waiting()))
}

// account adds the events that were lost before they were records.
func (r *Recorder) account(report *Report, missed uint64, waiting int) error {
	dropped, err := r.get("dropped")
	if err != nil {
		return err
	}
	second, err := r.get("second_copies")
	if err != nil {
		return err
	}
	report.Dropped += dropped + uint64(waiting)
	if missed > second { // calls that passed by both copies
		report.Dropped += missed - second
	}
	report.Missed, report.Rescued = missed, second
	if report.Dropped > 0 {
		report.AtRest = false
	}
	return nil
}

func (r *Recorder) set(name string, value uint32) error {
	return r.programs.collections[0].Variables[name].Set(value)
}

func (r *Recorder) get(name string) (value uint64, err error) {
	err = r.programs.collections[0].Variables[name].Get(&value)
	return value, err
}

// nameOf returns the name of a completion handler that was not recorded.
func (r *Recorder) nameOf(address uint64) string {
	named, err := readSymbols(func(a uint64, s symbol) bool { return a == address })
	if err != nil || len(named) == 0 {
		return fmt.Sprintf("a function at %#x", address)
	}
	s := named[address]
	return strings.TrimSuffix(s.name+" of "+s.module, " of ")
}

// Close detaches the programs.
func (r *Recorder) Close() {
	if r.reader != nil {
		r.reader.Close()
	}
	r.programs.close()
}
