//go:build ignore

// This program writes docs/contract-states.md.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"ndkoracle/internal/statediagrams"
)

func main() {
	page, err := statediagrams.Page(os.DirFS("../.."))
	if err == nil {
		err = os.WriteFile(filepath.Join("../..", filepath.FromSlash(statediagrams.File)), []byte(page), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "statediagrams:", err)
		os.Exit(1)
	}
}
