//go:build ignore

// This program writes docs/known-divergences.md and those beside it.
package main

import (
	"errors"
	"fmt"
	"os"

	"ndkoracle/internal/divergences"
	"ndkoracle/traces"
)

func main() {
	rows, err := traces.Rows(os.DirFS("../../traces"))
	for name, text := range divergences.Documents(rows) {
		err = errors.Join(err, os.WriteFile("../../"+name, []byte(text), 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "divergences:", err)
		os.Exit(1)
	}
}
