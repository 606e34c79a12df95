//go:build ignore

// This program writes docs/sources.md.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"ndkoracle/internal/sources"
)

func main() {
	book, err := sources.Read(os.DirFS("../.."))
	if complaints := book.Complaints(); err == nil && len(complaints) > 0 {
		err = errors.New(strings.Join(complaints, "\n"))
	}
	if err == nil {
		for name, text := range book.Documents() {
			err = errors.Join(err, os.WriteFile("../../docs/"+name, []byte(text), 0o644))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sources:", err)
		os.Exit(1)
	}
}
