package judging

import (
	"os"
	"path/filepath"
	"testing"

	"ndkoracle/linearize"
	"ndkoracle/trace"
	"ndkoracle/traces"
)

// A Row is one of the manifest, whose trace can be judged.
type Row struct{ traces.Row }

// Options are those that the row is judged with.
func (r Row) Options() linearize.Options {
	return linearize.Options{Dialect: r.Dialect, Assume: r.Assume, DeviceLevel: r.DeviceLevel}
}

// Corpus returns the rows of the manifest.
func Corpus(t testing.TB) []Row {
	t.Helper()
	rows, err := traces.Rows(os.DirFS(Traces(t)))
	if err != nil {
		t.Fatal(err)
	}
	var all []Row
	for _, r := range rows {
		all = append(all, Row{Row: r})
	}
	return all
}

// Read returns the trace of the row.
func (r Row) Read(t testing.TB) *trace.Trace {
	t.Helper()
	traced, err := trace.ReadFile(filepath.Join(Traces(t), r.File), 0)
	if err != nil {
		t.Fatal(err)
	}
	return traced
}

// Traces returns the folder of the corpus, wherever in the module a test runs.
func Traces(t testing.TB) string {
	t.Helper()
	for folder := "."; ; folder = filepath.Join(folder, "..") {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, "traces")
		}
		if whole, err := filepath.Abs(folder); err != nil || whole == filepath.Dir(whole) {
			t.Fatal("the test does not run in the module")
		}
	}
}
