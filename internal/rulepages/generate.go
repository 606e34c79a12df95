//go:build ignore

// This program writes docs/rules/.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ndkoracle/internal/rulepages"
)

func main() {
	folder := filepath.Join("../..", filepath.FromSlash(rulepages.Folder))
	pages, err := rulepages.Pages(os.DirFS("../.."))
	if err == nil {
		err = errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755))
	}
	for name, page := range pages {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(page), 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rulepages:", err)
		os.Exit(1)
	}
}
