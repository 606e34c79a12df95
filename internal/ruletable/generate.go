//go:build ignore

// This program writes docs/rule-table.md.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"ndkoracle/internal/ruletable"
)

func main() {
	rows, err := ruletable.Rows(os.DirFS("../.."))
	if complaints := ruletable.Complaints(rows); err == nil && len(complaints) > 0 {
		err = errors.New(strings.Join(complaints, "\n"))
	}
	if err == nil {
		err = os.WriteFile("../../docs/rule-table.md", []byte(ruletable.Markdown(rows)), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ruletable:", err)
		os.Exit(1)
	}
}
