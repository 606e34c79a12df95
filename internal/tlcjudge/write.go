package tlcjudge

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ndkoracle/tla"
)

// Write writes into a folder the modules by which TLC decides the trace: Root with its configuration, and those of the contract.
// The folder is made where it is missing, and what is there under these names is written over. Nothing is, once ctx is done before the first. The
// trace has to be Decidable.
func Write(ctx context.Context, folder string, c Case) error {
	return writeModules(ctx, folder, questionsOf(c.inOrder(), 1))
}

// Decidable says why a trace can't be put to TLC at all.
func Decidable(c Case) error {
	if reason := unfit(c); reason != "" {
		return errors.New(reason)
	}
	return nil
}

func writeModules(ctx context.Context, folder string, questions []*question) error {
	module, configuration := write(questions)
	files := map[string][]byte{Root + ".tla": module, Root + ".cfg": configuration}
	contract, err := fs.Glob(tla.Modules, "*.tla")
	if err != nil {
		return err
	}
	for _, name := range contract {
		if files[name], err = tla.Modules.ReadFile(name); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
