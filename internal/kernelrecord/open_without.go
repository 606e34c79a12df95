//go:build !linux

package kernelrecord

import (
	"context"
	"errors"

	"ndkoracle/trace"
)

// Recorder records a device: on Linux only.
type Recorder struct{}

// Open always returns an error: this program was not built for Linux.
func Open(Options) (*Recorder, error) {
	return nil, errors.New("attach records the kernel of Linux only")
}

// Header is of no recording.
func (*Recorder) Header() trace.Header { return trace.Header{} }

// Run records nothing.
func (*Recorder) Run(context.Context, func(*trace.Event) error) (Report, error) {
	return Report{}, nil
}

// Close does nothing.
func (*Recorder) Close() {}
