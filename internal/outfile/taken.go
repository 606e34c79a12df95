package outfile

import (
	"fmt"
	"os"
	"path/filepath"
)

// Taken are the files that one run of a program reads and writes. It keeps the run from writing over what it reads, and from writing a file twice,
// whatever the files are called.
type Taken []taken

type taken struct {
	by   string      // what writes it, or "" where it is read
	what string      // of one that is read: what it is, as in "the trace"
	path string      // resolved, or "" of a stream
	info os.FileInfo // nil where it is not there yet
}

// Read records a file that is read, and what it is, as in "the trace".
func (t *Taken) Read(what, name string) {
	info, err := os.Stat(name)
	if err != nil {
		info = nil
	}
	*t = append(*t, taken{what: what, path: resolved(name), info: info})
}

// ReadStream records an open file that is read.
func (t *Taken) ReadStream(what string, f *os.File) {
	if info, err := f.Stat(); err == nil {
		*t = append(*t, taken{what: what, info: info})
	}
}

// Write records a file that is to be written by something, such as a flag. The error says what has taken it. What is not a regular file, as a device
// or a pipe is, may be taken any number of times.
func (t *Taken) Write(by, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		info = nil
	}
	return t.write(name, taken{by: by, path: resolved(name), info: info})
}

// WriteStream is Write for an open file.
func (t *Taken) WriteStream(by string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return nil // a closed one, which writing to will tell
	}
	return t.write("", taken{by: by, info: info})
}

func (t *Taken) write(name string, file taken) error {
	if file.info != nil && !file.info.Mode().IsRegular() {
		return nil
	}
	for _, other := range *t {
		same := file.path != "" && other.path == file.path || file.info != nil && other.info != nil && os.SameFile(file.info, other.info)
		switch {
		case !same || other.by == file.by && other.path == file.path:
		case other.by == "" && name == "":
			return fmt.Errorf("%s would write over %s that is read", file.by, other.what)
		case other.by == "":
			return fmt.Errorf("%s would write over %s %s", file.by, other.what, name)
		case other.by == file.by:
			return fmt.Errorf("%s would write %s twice", file.by, name)
		case name != "":
			return fmt.Errorf("%s and %s would both write %s", other.by, file.by, name)
		}
	}
	*t = append(*t, file)
	return nil
}

// resolved returns the path by which a file is known whatever it is called, also where it is not there yet.
func resolved(name string) string {
	if path, err := filepath.EvalSymlinks(name); err == nil {
		name = path
	} else if folder, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(folder, filepath.Base(name))
	}
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}
