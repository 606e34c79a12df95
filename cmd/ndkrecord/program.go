package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"ndkoracle/conformance"
	"ndkoracle/execprovider"
)

// program returns the words of the program that is the provider, or nil where it is none.
func (o options) program() []string {
	words, is := strings.CutPrefix(o.provider, "exec:")
	if !is {
		return nil
	}
	return append([]string{}, strings.Fields(words)...)
}

// recordProgram records a run on a provider that is another program. What the program does wrong cancels the run.
func recordProgram(words []string, write func(conformance.Provider) error, cancel context.CancelCauseFunc, stderr io.Writer) error {
	var adapter *execprovider.Adapter
	p := conformance.Provider{Name: filepath.Base(words[0])}
	p.Open = func(seed uint64, _ func() bool) (conformance.Adapter, error) {
		var err error
		adapter, err = execprovider.Open(context.Background(), execprovider.Options{Command: words, Stderr: stderr, Failed: cancel}, seed)
		if err != nil {
			return nil, err
		}
		return adapter, nil
	}
	err := write(p)
	if adapter == nil {
		return err
	}
	adapter.Release()
	if err == nil {
		err = adapter.Err()
	}
	return err
}
