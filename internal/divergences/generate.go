//go:build ignore

// This program writes docs/known-divergences.md.
package main

import (
	"fmt"
	"os"

	"ndkoracle/internal/divergences"
	"ndkoracle/traces"
)

func main() {
	rows, err := traces.Rows(os.DirFS("../../traces"))
	if err == nil {
		err = os.WriteFile("../../"+divergences.Document, []byte(divergences.Markdown(rows)), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "divergences:", err)
		os.Exit(1)
	}
}
