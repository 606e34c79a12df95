package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"ndkoracle/trace"
)

// output is a file that a trace is written to.
type output struct {
	writer io.Writer
	layers []io.Closer // in the order of closing
	remove string      // the file to remove when nothing was written; "" when it existed before
	failed func()      // called when it can't be written to
}

// create opens the file. One whose name ends in .zst is compressed, any other when compress is set. When it can't be written to,
// failed is called: a run of which nothing is recorded any more is of no use.
func create(name string, compress bool, failed func()) (*output, error) {
	o := &output{failed: failed}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && name != "-" {
		o.remove = name
	}
	file, err := trace.Create(name)
	if err != nil {
		return nil, err
	}
	o.writer, o.layers = file, []io.Closer{file}
	if compress && !strings.HasSuffix(name, ".zst") {
		encoder, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		o.writer, o.layers = encoder, []io.Closer{encoder, file}
	}
	return o, nil
}

func (o *output) Write(data []byte) (int, error) {
	o.remove = ""
	n, err := o.writer.Write(data)
	if err != nil {
		o.failed()
	}
	return n, err
}

// close closes the file and leaves no empty one behind, such as that of a run without a device.
func (o *output) close() (err error) {
	for _, layer := range o.layers {
		err = errors.Join(err, layer.Close())
	}
	if o.remove != "" {
		err = errors.Join(err, os.Remove(o.remove))
	}
	return err
}
