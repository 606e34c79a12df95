package trace

import (
	"bytes"
	"io"
)

// lineReader reads a source line by line, and shows what it has read ahead.
type lineReader struct {
	source     io.Reader
	window     *window
	start, end int    // of what was read and not taken
	long       []byte // a line that is longer than the window
	err        error  // of the source, behind what was read
	waiting    func() // called before the source is read
}

// readBuffer is how much is read at once, in bytes: a power of two, as places in a window are.
const readBuffer = 256 << 10

// window is what was read, with room behind it for who looks at more than there is.
type window [readBuffer + maxText + 8]byte

// load returns the eight bytes at a place in a window, the first of them lowest. Those of a place behind it are others, so the place has to
// be looked at before what was made of them is used.
func (w *window) load(at int) uint64 {
	at &= readBuffer - 1
	b := w[at : at+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// byte is load for one.
func (w *window) byte(at int) byte { return w[at&(readBuffer-1)] }

func newLineReader(source io.Reader) *lineReader {
	return &lineReader{source: source, window: new(window), waiting: func() {}}
}

// peek returns the next n bytes, or as many as there are.
func (l *lineReader) peek(n int) []byte {
	for l.end-l.start < n && l.err == nil {
		l.more()
	}
	return l.window[l.start:min(l.start+n, l.end)]
}

// Read returns what peek has shown, and all behind it.
func (l *lineReader) Read(p []byte) (int, error) {
	if l.start == l.end && l.err == nil {
		l.more()
	}
	if l.start == l.end {
		return 0, l.err
	}
	n := copy(p, l.window[l.start:l.end])
	l.start += n
	return n, nil
}

// next reads a line, without its newline. It reads only a little more than MaxLine of a longer line. complete is false for a last line without a newline.
// The line is valid until the next call of next or peek.
func (l *lineReader) next() (line []byte, complete bool, err error) {
	l.long = l.long[:0]
	for seen := 0; ; {
		ahead := l.window[l.start:l.end]
		if end := bytes.IndexByte(ahead[seen:], '\n'); end >= 0 {
			l.start += seen + end + 1
			return l.joined(ahead[:seen+end]), true, nil
		}
		seen = len(ahead)
		if len(l.long)+seen <= MaxLine && l.err == nil {
			if seen == readBuffer {
				l.long = append(l.long, ahead...)
				l.start, seen = l.end, 0
			}
			l.more()
			continue
		}
		l.start = l.end
		if line = l.joined(ahead); len(line) > MaxLine || l.err == io.EOF && len(line) > 0 {
			return line, false, nil
		}
		return nil, false, l.err
	}
}

// joined returns a line whose last part is given.
func (l *lineReader) joined(part []byte) []byte {
	if len(l.long) == 0 {
		return part
	}
	l.long = append(l.long, part...)
	return l.long
}

// more reads on. What was not taken moves to the front.
func (l *lineReader) more() {
	if l.start > 0 {
		l.start, l.end = 0, copy(l.window[:], l.window[l.start:l.end])
	}
	l.waiting()
	for range 100 {
		n, err := l.source.Read(l.window[l.end:readBuffer])
		l.end, l.err = l.end+n, err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}
