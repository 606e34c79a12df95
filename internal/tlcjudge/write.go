package tlcjudge

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ndkoracle/tla"
)

// Write writes into a folder the modules by which TLC decides the trace: Root with its configuration, and those of the contract.
// What is there under these names is written over. The trace has to be Decidable.
func Write(folder string, c Case) error { return writeModules(folder, questionsOf(c.inOrder(), 1)) }

// Decidable says why a trace can't be put to TLC at all.
func Decidable(c Case) error {
	if reason := unfit(c); reason != "" {
		return errors.New(reason)
	}
	return nil
}

func writeModules(folder string, questions []*question) error {
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
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
