package trace

import (
	"bufio"
	"fmt"
	"io"
)

// ConvertToLines writes the trace that r reads as JSON Lines, each line as a Writer writes it. A line with content that the format does not define is
// written as it was read.
func ConvertToLines(out io.Writer, r *Reader) error {
	buffered := bufio.NewWriterSize(out, 64<<10)
	header, err := headerOf(r)
	if err != nil {
		return err
	}
	write := func(line []byte) error {
		if _, err := buffered.Write(line); err != nil {
			return fmt.Errorf("writing the trace: %w", err)
		}
		return nil
	}
	if err := write(header); err != nil {
		return err
	}
	var line []byte
	for e := (Event{}); ; {
		err := r.Next(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if line = append(line[:0], r.written.event...); len(line) == 0 {
			line = AppendEvent(line, &e)
		}
		if err := write(append(line, '\n')); err != nil {
			return err
		}
	}
	end, err := endOf(r)
	if err == nil {
		err = write(end)
	}
	if err == nil {
		err = buffered.Flush()
	}
	return err
}

// ConvertToCtf writes the trace that r reads in the Common Trace Format. Nothing that the trace says is lost.
func ConvertToCtf(out io.Writer, r *Reader) error {
	header, err := headerOf(r)
	if err != nil {
		return err
	}
	w := newSlotWriter(out, r.header.hasIbverbs())
	if err := w.lineText(classHeader, trimNewline(header)); err != nil {
		return err
	}
	for e := (Event{}); ; {
		err := r.Next(&e)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = w.write(&e, r.written.event)
		}
		if err != nil {
			return err
		}
	}
	end, err := endOf(r)
	if err != nil {
		return err
	}
	if len(end) > 0 {
		if err := w.lineText(classEnd, trimNewline(end)); err != nil {
			return err
		}
	}
	return w.flush()
}

// headerOf returns the line of a trace's header.
func headerOf(r *Reader) ([]byte, error) {
	if r.written.header != nil {
		return append(r.written.header, '\n'), nil
	}
	return headerLine(r.header)
}

// endOf returns the line of a trace's end record, or nothing where it has none.
func endOf(r *Reader) ([]byte, error) {
	switch {
	case r.end == nil:
		return nil, nil
	case r.written.end != nil:
		return append(r.written.end, '\n'), nil
	}
	return endLine(*r.end)
}

func trimNewline(line []byte) []byte { return line[:len(line)-1] }
