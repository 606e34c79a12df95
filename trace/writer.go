package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// The header's format and v.
const (
	formatName = "ndk-trace"
	Version    = "1.1"
)

// Writer writes a trace, event by event. What it writes is the same byte for byte for the same events, and Reader reads
// it back the same.
type Writer struct {
	out    *bufio.Writer
	spell  *speller
	check  checker
	event  Event // the newest, in its canonical form
	line   []byte
	closed bool
	err    error // of Close
}

// NewWriter writes the header. The error is of the header, or of writing it.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out, err := startTrace(w, h)
	if err != nil {
		return nil, err
	}
	return &Writer{out: out, spell: newSpeller()}, nil
}

func startTrace(w io.Writer, h Header) (*bufio.Writer, error) {
	if err := checkHeader(&h); err != nil {
		return nil, fmt.Errorf("trace header: %w", err)
	}
	line, err := headerLine(h)
	if err != nil {
		return nil, fmt.Errorf("trace header: %w", err)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if _, err := out.Write(line); err != nil {
		return nil, fmt.Errorf("writing the trace: %w", err)
	}
	return out, nil
}

// Write writes one event. It refuses what Reader would refuse, such as a return without its call, and writes nothing
// then.
func (w *Writer) Write(e *Event) error {
	if w.closed {
		return errors.New("trace: an event after the end record")
	}
	w.event = *e
	w.event.Flags = slices.Clone(e.Flags)
	w.event.Wrs = slices.Clone(e.Wrs)
	w.event.Results = slices.Clone(e.Results)
	if err := w.accept(&w.event); err != nil {
		return fmt.Errorf("trace event %d: %w", e.Seq, err)
	}
	w.line = append(AppendEvent(w.line[:0], &w.event), '\n')
	if _, err := w.out.Write(w.line); err != nil {
		return fmt.Errorf("writing the trace: %w", err)
	}
	return nil
}

// accept normalises an event and takes it into the trace.
func (w *Writer) accept(e *Event) error {
	f := functions[e.Fn]
	if f != nil {
		if err := w.spell.normalise(e, f); err != nil {
			return err
		}
	}
	if err := checkFields(e); err != nil {
		return err
	}
	return w.check.event(e, f, false)
}

// Close writes the end record; the Writer itself sets its Events. It does not close the underlying writer. A second call does nothing and returns the
// same error.
func (w *Writer) Close(end End) error {
	if w.closed {
		return w.err
	}
	w.closed = true
	end.Events = w.check.events
	line, err := endLine(end)
	if err == nil {
		_, err = w.out.Write(line)
	}
	if err == nil {
		err = w.out.Flush()
	}
	if err != nil {
		w.err = fmt.Errorf("writing the trace: %w", err)
	}
	return w.err
}

// Create opens a file to write a trace into: compressed with zstd when its name ends in .zst, standard output for "-".
// The trace is complete only when Close has returned nil. A named pipe is waited for until it has a reader, and can't be written to once
// that has gone.
func Create(name string) (io.WriteCloser, error) {
	if name == "-" {
		return nopCloser{os.Stdout}, nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666) // a pipe also opened to read would be its own reader
	if err != nil || !strings.HasSuffix(name, ".zst") {
		return file, err
	}
	encoder, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return compressed{encoder, file}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

type compressed struct {
	*zstd.Encoder
	file *os.File
}

// Close closes the zstd frame, then the file.
func (c compressed) Close() error { return errors.Join(c.Encoder.Close(), c.file.Close()) }
