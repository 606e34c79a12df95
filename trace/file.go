package trace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Open opens a trace file, or standard input for "-". The Reader has to be closed. The error is an *Error that says in
// plain words why: no such file, a directory, no permission, or what is wrong with the header.
func Open(path string) (*Reader, error) {
	if path == "-" {
		return NewReader("standard input", os.Stdin)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: path, Reason: openReason(err)}
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, closeWith(file, &Error{File: path, Reason: "is a directory, not a trace"})
	}
	reader, err := NewReader(path, file)
	if err != nil {
		return nil, closeWith(file, err)
	}
	reader.source = file
	return reader, nil
}

// closeWith closes a file and returns the error that made it useless. One of closing would add nothing to it.
func closeWith(file io.Closer, err error) error {
	file.Close()
	return err
}

func openReason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to read it"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return "can't be opened: " + err.Error()
}

// Read reads a whole trace. It keeps the first limit events, or all for 0; the others are checked and counted in
// Trace.More.
func Read(name string, r io.Reader, limit int) (*Trace, error) {
	return ReadContext(context.Background(), name, r, Limit{Events: limit})
}

// A Limit bounds how much of a trace is kept; 0 means no bound. Once it is reached, no later event is kept.
type Limit struct{ Events, Bytes int }

// Keep counts an event as kept, and reports whether the total stays within a limit.
func (l *Limit) Keep(e *Event, most Limit) bool {
	l.Events, l.Bytes = l.Events+1, l.Bytes+e.Size()
	return (most.Events == 0 || l.Events <= most.Events) && (most.Bytes == 0 || l.Bytes <= most.Bytes)
}

// keeper returns a function that says of one event after the other whether to keep it.
func (l Limit) keeper() func(*Event) bool {
	var kept Limit
	full := false
	return func(e *Event) bool {
		full = full || !kept.Keep(e, l)
		return !full
	}
}

// ReadContext is Read that ends, between two lines, when ctx is done. Then it returns what it has read so far, and ctx's cause. It does not interrupt
// a read of r that blocks.
func ReadContext(ctx context.Context, name string, r io.Reader, limit Limit) (*Trace, error) {
	return readContext(ctx, name, r, limit.keeper())
}

// Scan is ReadContext that keeps no event: it passes each one to take.
func Scan(ctx context.Context, name string, r io.Reader, take func(*Event)) (*Trace, error) {
	return readContext(ctx, name, r, func(e *Event) bool {
		take(e)
		return false
	})
}

// readContext is ReadContext that asks of each event whether to keep it.
func readContext(ctx context.Context, name string, r io.Reader, keep func(*Event) bool) (*Trace, error) {
	reader, err := NewReader(name, r)
	switch {
	case err == nil:
		defer reader.stop()
		return readAll(ctx, reader, keep)
	case ctx.Err() != nil:
		return &Trace{Name: name}, context.Cause(ctx)
	}
	return nil, err
}

// ReadFile is Read for a path that Open accepts.
func ReadFile(path string, limit int) (*Trace, error) {
	reader, err := Open(path)
	if err != nil {
		return nil, err
	}
	whole, err := readAll(context.Background(), reader, Limit{Events: limit}.keeper())
	if closeErr := reader.Close(); err == nil && closeErr != nil {
		return nil, &Error{File: path, Reason: "closing: " + closeErr.Error()}
	}
	return whole, err
}

func readAll(ctx context.Context, r *Reader, keep func(*Event) bool) (*Trace, error) {
	whole := &Trace{Name: r.name, Header: r.header}
	for e := (Event{}); ; {
		err := r.Next(&e)
		switch {
		case err == io.EOF:
			whole.End, whole.Warnings = r.End(), r.Warnings()
			return whole, nil
		case ctx.Err() != nil:
			return whole, context.Cause(ctx)
		case err != nil:
			return nil, err
		case keep(&e):
			whole.Events = append(whole.Events, e)
		default:
			whole.More++
		}
	}
}
