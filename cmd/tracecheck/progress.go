package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A meter shows in one line of a terminal how far a check has come: the trace, the share of all bytes that is read, the rate, and the time that is left.
type meter struct {
	out   io.Writer     // nil where nothing is shown
	read  *atomic.Int64 // bytes of the inputs that were read so far
	total int64         // bytes of all inputs; 0 where that of one is not known
	began time.Time
	stop  chan struct{}

	mu   sync.Mutex
	line string // what is being checked, or "" for nothing
}

// counted counts the bytes that are read.
type counted struct {
	io.Reader
	read *atomic.Int64
}

func (c counted) Read(to []byte) (int, error) {
	n, err := c.Reader.Read(to)
	c.read.Add(int64(n))
	return n, err
}

// meterOf returns the meter of a check, and begins to show it. Its owner closes it.
func (p *program) meterOf(s *settings, inputs []input) *meter {
	m := &meter{read: &p.bytesRead, began: time.Now(), stop: make(chan struct{})}
	if !p.stderrIsTerminal || s.quiet {
		return m
	}
	m.out, m.total = p.stderr, bytesOf(inputs)
	go func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				m.mu.Lock()
				m.show(now)
				m.mu.Unlock()
			case <-m.stop:
				return
			}
		}
	}()
	return m
}

func (m *meter) close() { close(m.stop) }

// bytesOf returns how many bytes the inputs have, or 0 where it is not known of each.
func bytesOf(inputs []input) (sum int64) {
	for _, in := range inputs {
		if in.err != nil {
			continue // it is not read
		}
		about, err := os.Stat(in.name)
		if in.name == "-" || err != nil || !about.Mode().IsRegular() {
			return 0
		}
		sum += about.Size()
	}
	return sum
}

// begin shows what is being checked, in place of the line before; end takes the line away.
func (m *meter) begin(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.line = fmt.Sprintf(format, args...)
	m.show(time.Now())
}

func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.line = ""; m.out != nil {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
}

func (m *meter) show(now time.Time) {
	if m.line != "" && m.out != nil {
		fmt.Fprintf(m.out, "\r\x1b[K%s", printable(m.line+rateOf(m.read.Load(), m.total, now.Sub(m.began))))
	}
}

// rateOf words how much was read in a time, and what is left. Of the first moment nothing is said: it is too short for a rate.
func rateOf(read, total int64, took time.Duration) string {
	if took < 400*time.Millisecond || read == 0 {
		return ""
	}
	rate := float64(read) / took.Seconds()
	if total == 0 {
		return fmt.Sprintf(": %.0f MB read, %.1f MB/s", float64(read)/1e6, rate/1e6)
	}
	left := time.Duration(float64(max(total-read, 0)) / rate * float64(time.Second))
	// A trace may be read once more, and what is read is not yet judged.
	return fmt.Sprintf(": %d %%, %.1f MB/s, %s left", min(read*100/total, 99), rate/1e6, left.Round(time.Second))
}
