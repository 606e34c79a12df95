//go:build ignore

// This program writes docs/commands/.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ndkoracle/internal/commandpages"
)

func main() {
	if err := write(filepath.Join("../..", filepath.FromSlash(commandpages.Folder))); err != nil {
		fmt.Fprintln(os.Stderr, "commandpages:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	built, err := os.MkdirTemp("", "commandpages")
	if err != nil {
		return err
	}
	defer os.RemoveAll(built)
	if err := commandpages.Build("../..", built); err != nil {
		return err
	}
	pages, err := commandpages.Pages("../..", built)
	if err == nil {
		err = errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755))
	}
	for name, page := range pages {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(page), 0o644))
	}
	return err
}
