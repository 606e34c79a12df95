package tlcjudge

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"ndkoracle/internal/outfile"
	"ndkoracle/tla"
)

// Write writes into a folder the modules by which TLC decides the trace: Root with its configuration, and those of the contract.
// The folder is made where it is missing, and what is there under these names is written over. Nothing is, once ctx is done before the first. The
// trace has to be Decidable.
func Write(ctx context.Context, folder string, c Case) error {
	c = c.inOrder()
	return writeModules(ctx, folder, questionsOf(c, boundaryOf(c), 1))
}

// Decidable says why a trace can't be put to TLC at all.
func Decidable(c Case) error {
	if reason := unfit(c); reason != "" {
		return errors.New(reason)
	}
	return nil
}

// Files returns the names of the files that Write writes.
func Files() ([]string, error) {
	contract, err := fs.Glob(tla.Modules, "*.tla")
	return append(contract, Root+".tla", Root+".cfg"), err
}

func writeModules(ctx context.Context, folder string, questions []*question) error {
	names, err := Files()
	if err != nil {
		return err
	}
	module, configuration := write(questions)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, name := range names {
		var text []byte
		switch name {
		case Root + ".tla":
			text = module
		case Root + ".cfg":
			text = configuration
		default:
			if text, err = tla.Modules.ReadFile(name); err != nil {
				return err
			}
		}
		err := outfile.Place{Folder: folder, Name: name}.Write(ctx, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
