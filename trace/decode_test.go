package trace

import (
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// corpusLines returns the lines of all traces of the corpus, those of malformed ones too.
func corpusLines(t testing.TB) (lines [][]byte) {
	t.Helper()
	err := filepath.WalkDir("../traces", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(path, ".jsonl") {
			return err
		}
		for line := range bytes.SplitSeq(plainFile(t, path), []byte("\n")) {
			if 0 < len(line) && len(line) < 5000 {
				lines = append(lines, line)
			}
		}
		return nil
	})
	if err != nil || len(lines) < 10000 {
		t.Fatalf("%d lines in the corpus, error %v", len(lines), err)
	}
	return lines
}

// sameAsReference compares what decoder makes of a line with what the reference makes of it.
func sameAsReference(t *testing.T, d *decoder, line []byte) {
	t.Helper()
	if !utf8.Valid(line) {
		return
	}
	want, wantErr := referenceEvent(line)
	var got Event
	gotErr := d.decode(line, &got)
	switch {
	case (gotErr == nil) != (wantErr == nil):
		t.Fatalf("%s\nerror %v, want %v", line, gotErr, wantErr)
	case gotErr == nil && !reflect.DeepEqual(got, want):
		t.Fatalf("%s\n got %+v\nwant %+v", line, got, want)
	case gotErr == nil && !d.odd && checkFields(&got) != nil:
		t.Fatalf("%s\nnot checked: %v", line, checkFields(&got))
	}
	kind, err := recordKind(line)
	if wantKind, wantErr := referenceKind(line); (err == nil) != (wantErr == nil) || err == nil && kind != wantKind {
		t.Fatalf("%s\nrec is %q, error %v, want %q, %v", line, kind, err, wantKind, wantErr)
	}
}

// damage is what the lines of the corpus are spoilt with.
var damage = [][]byte{
	[]byte(`"`), []byte(`,`), []byte(`{`), []byte(`}`), []byte(`[`), []byte(`]`), []byte(`:`), []byte(` `), []byte("\t"), []byte("\r"),
	[]byte(`\`), []byte(`\n`), []byte(`\u0000`), []byte(`\u00e9`), []byte(`\ud800`), []byte(`\ud83d\ude00`), []byte("é"),
	[]byte("\x01"), []byte("\x7f"), []byte("\u0085"), []byte("\ufffd"), []byte(`0`), []byte(`-`), []byte(`.`), []byte(`e`),
	[]byte(`-0`), []byte(`1.0`), []byte(`1e3`), []byte(`01`), []byte(`4294967296`), []byte(`99999999999999999999`), []byte(`null`),
	[]byte(`true`), []byte(`false`), []byte(`"rec":"x",`), []byte(`"seq":1,`), []byte(`"SEQ":1,`), []byte(`"x":[{"a":1}],`),
	[]byte(`"cq":"`), []byte(`"c\u0071":"a",`), []byte(`"errno":0,`), []byte(`"flags":[1],`), []byte(`"flags":3,`), []byte(`"op":7,`),
	bytes.Repeat([]byte("["), maxDepth+1), bytes.Repeat([]byte("x"), maxId+1),
}

// spoil changes a line in a few places: it puts damage or a piece of another line in, takes some bytes out, or both.
func spoil(random *rand.Rand, lines [][]byte, line []byte) []byte {
	for range 1 + random.IntN(4) {
		from := random.IntN(len(line) + 1)
		to := min(len(line), from+random.IntN(12)*random.IntN(2))
		piece := damage[random.IntN(len(damage))]
		if random.IntN(4) == 0 {
			other := lines[random.IntN(len(lines))]
			start := random.IntN(len(other))
			piece = other[start:min(len(other), start+random.IntN(40))]
		}
		line = slices.Concat(line[:from], piece, line[to:])
	}
	return line
}

// The decoder takes what encoding/json takes for an event, of the corpus and of spoilt lines, and makes the same of it.
func TestDecoderIsJSON(t *testing.T) {
	lines := corpusLines(t)
	d := &decoder{}
	for _, line := range lines {
		sameAsReference(t, d, line)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50000 {
		sameAsReference(t, d, spoil(random, lines, lines[random.IntN(len(lines))]))
	}
}

// A key is guessed only if each of its bytes is there.
func TestGuessedKeyIsWhole(t *testing.T) {
	for f := noField + 1; f < fieldCount; f++ {
		key := `,"` + f.String() + `":`
		line := key + "12345678"
		if p := (parser{line: []byte(line)}); !p.expect(f, false) || p.at != len(key) {
			t.Errorf("%s is not found", key)
		}
		for i := range key {
			changed := []byte(line)
			changed[i] ^= 1
			if p := (parser{line: changed}); p.expect(f, false) {
				t.Errorf("%s is taken for %s", changed[:len(key)], key)
			}
		}
	}
}

// What the decoder guesses from the lines before never changes what it makes of a line.
func FuzzDecoder(f *testing.F) {
	lines := corpusLines(f)
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		i := random.IntN(len(lines) - 1)
		f.Add(lines[i], lines[i+1])
	}
	f.Fuzz(func(t *testing.T, before, line []byte) {
		d := &decoder{}
		for _, line := range [][]byte{before, line, before, line} {
			sameAsReference(t, d, line)
		}
	})
}

// plainFile returns what is in a file, decompressed.
func plainFile(t testing.TB, path string) []byte {
	t.Helper()
	compressed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".zst") {
		return compressed
	}
	r, err := zstd.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	plain, _ := io.ReadAll(r) // of a truncated one what there is
	return plain
}
