//go:build ignore

// This program writes THIRD-PARTY.md.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"ndkoracle/internal/thirdparty"
)

func main() {
	modules, err := thirdparty.Modules("../..")
	if err == nil {
		err = os.WriteFile(filepath.Join("../..", thirdparty.Document), []byte(thirdparty.Markdown(modules)), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "thirdparty:", err)
		os.Exit(1)
	}
}
