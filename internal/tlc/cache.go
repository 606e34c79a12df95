package tlc

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A graph is kept in a file, after the sum of all that it was made from: as long as that is the same, TLC need not run
// again.

// form is another one when Graph or the canonical form of values changes.
const form = "1"

// sumOf returns a sum over the modules in the folder, the texts, and the jar.
func (r Runner) sumOf(texts ...[]byte) (string, error) {
	modules, err := filepath.Glob(filepath.Join(r.Dir, "*.tla"))
	if err != nil {
		return "", err
	}
	jar, err := hash(r.Jar.Path, io.Discard)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, module := range modules { // sorted
		text, err := os.ReadFile(module)
		if err != nil {
			return "", err
		}
		texts = append(texts, []byte(filepath.Base(module)), text)
	}
	for _, text := range append(texts, []byte(jar), []byte(form)) {
		fmt.Fprintf(h, "%d ", len(text))
		h.Write(text)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// Kept returns the graph of a configuration that was kept, whatever it was made from.
func (r Runner) Kept(c Configuration) (*Graph, error) { return load(r.graphFile(c), "") }

// load returns the graph in the file, or nil if it has another sum than this one; "" is any.
func load(file, sum string) (*Graph, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzip, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	values := gob.NewDecoder(unzip)
	var found string
	if err := values.Decode(&found); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if sum != "" && found != sum {
		return nil, nil
	}
	g := new(Graph)
	if err := values.Decode(g); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return g, nil
}

// save writes the file. It gets its name when it is complete.
func save(file, sum string, g *Graph) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), "graph")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	defer f.Close()
	zip, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	values := gob.NewEncoder(zip)
	if err := errors.Join(values.Encode(sum), values.Encode(g), zip.Close(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
