package trace

import (
	"bytes"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
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
	if gotErr == nil {
		d.learn(&got, functions[got.Fn])
	}
	if read, ok := quickly(d, line, &got); ok && (wantErr != nil || !reflect.DeepEqual(got, want) || d.odd) {
		t.Fatalf("%s\n%d bytes are read as %+v\nwant %+v, error %v", line, read, got, want, wantErr)
	}
	kind, err := recordKind(line)
	if wantKind, wantErr := referenceKind(line); (err == nil) != (wantErr == nil) || err == nil && kind != wantKind {
		t.Fatalf("%s\nrec is %q, error %v, want %q, %v", line, kind, err, wantKind, wantErr)
	}
}

// testWindow has nothing behind it but quotes, which end most of what may stand before them.
var testWindow = func() (w window) {
	for i := range w {
		w[i] = '"'
	}
	return w
}()

// quickly reads a line without the parser, if it is written as one before.
func quickly(d *decoder, line []byte, e *Event) (read int, ok bool) {
	w := &testWindow
	start := readBuffer - len(line) - 1
	copy(w[start:], line)
	w[readBuffer-1] = '\n'
	end, _, last := d.quick(w, start, readBuffer, e)
	return end - start, last != nil
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
	events, quick := 0, 0
	for _, line := range lines {
		sameAsReference(t, d, line)
		var e Event
		if d.decode(line, &e) == nil {
			events++
			if _, ok := quickly(d, line, &e); ok {
				quick++
			}
		}
	}
	if quick < events*9/10 {
		t.Errorf("of %d events %d are read without the parser", events, quick)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50000 {
		sameAsReference(t, d, spoil(random, lines, lines[random.IntN(len(lines))]))
	}
}

// A piece stands only where each of its bytes does.
func TestPieceIsWhole(t *testing.T) {
	for n := 1; n <= maxText; n++ {
		var s shapes
		var w window
		text := strings.Repeat("abcdefghijklm", 5)[:n]
		piece := s.piece(&s.event, text, fieldT, false)
		copy(w[1:], text)
		if !piece.stands(&w, 1) {
			t.Errorf("%s is not found", text)
		}
		for i := range text {
			w[1+i] ^= 1
			if piece.stands(&w, 1) {
				t.Errorf("%s is taken for %s", w[1:1+n], text)
			}
			w[1+i] ^= 1
		}
	}
	var s shapes
	if s.piece(&s.event, strings.Repeat("x", maxText+1), fieldT, false) != nil {
		t.Error("a piece is longer than what is looked at")
	}
}

// What stands before a function and its phase, and what stands behind them, were not always in one line: a key may be in both then, or one
// that is needed in neither.
func TestShapesAreWhole(t *testing.T) {
	rest := `,"ph":"call","op":"1","fn":"NdkNew"`
	for _, mixed := range [][3]string{
		{`{"seq":1,"cq":"x"` + rest + `}`, `{"seq":1` + rest + `,"cq":"y"}`, `{"seq":1,"cq":"x"` + rest + `,"cq":"y"}`},
		{`{"seq":1,"z":"x"` + rest + `}`, `{"seq":1` + rest + `,"z":"y"}`, `{"seq":1,"z":"x"` + rest + `,"z":"y"}`},
		{`{"thr":"a"` + rest + `,"seq":1}`, `{"seq":1,"thr":"a"` + rest + `}`, `{"thr":"a"` + rest + `}`},
		{`{"seq":1` + strings.Replace(rest, "NdkNew", "ibv_create_qp", 1) + `,"receive_cq":"c"}`}, // which is no key of that function
	} {
		for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {0, 1, 0, 2}} {
			d := &decoder{}
			for _, i := range order {
				if mixed[i] == "" {
					i = 0
				}
				sameAsReference(t, d, []byte(mixed[i]))
			}
		}
	}
}

// A word is its bytes up to its quote, zeros too, which no string of JSON holds: one behind a word that is known makes another one.
func TestZerosBelongToAWord(t *testing.T) {
	d := &decoder{}
	for _, line := range corpusLines(t)[:500] {
		sameAsReference(t, d, line)
		for at := range line {
			if line[at] != '"' {
				continue
			}
			for _, zeros := range []string{"\x00", "\x00\x00\x00\x00\x00\x00\x00\x00"} {
				sameAsReference(t, d, slices.Concat(line[:at], []byte(zeros), line[at:]))
			}
		}
	}
}

// What is left in the window behind what was read is no part of a line.
func TestQuickEndsAtItsLimit(t *testing.T) {
	for _, line := range corpusLines(t)[:500] {
		d := &decoder{}
		var e Event
		if d.decode(line, &e) != nil {
			continue
		}
		d.learn(&e, functions[e.Fn])
		w := &testWindow
		for _, start := range []int{0, readBuffer - len(line) - 1, readBuffer - len(line), readBuffer - len(line)/2, readBuffer - 1} {
			copy(w[start:], append(slices.Clone(line), '\n'))
			for limit := start; limit <= min(start+len(line)+1, readBuffer); limit++ {
				if _, _, last := d.quick(w, start, limit, &e); last != nil && limit < start+len(line)+1 {
					t.Fatalf("%s is read from %d bytes of it", line, limit-start)
				}
			}
		}
		for i := range w {
			w[i] = '"'
		}
	}
}

// However differently lines are written, only so much is remembered of it, and lines that are alike are read quickly soon.
func TestShapesAreBounded(t *testing.T) {
	d := &decoder{}
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string { return strings.Repeat("x", random.IntN(3)) + strconv.Itoa(random.IntN(1000)) }
	usual := []byte(`{"seq":1,"thr":"a","ph":"ret","op":"1","fn":"NdkGetCqResults","results":[{"wr":"w1","status":"STATUS_SUCCESS"}]}`)
	for i := range 20000 {
		keys := []string{`"seq":1`, `"thr":"a"`, `"ph":"call"`, `"op":"1"`, `"fn":"` + text() + `"`, `"` + text() + `":1`,
			`"results":[{"wr":"w","status":"s","` + text() + `":1}]`, `"wrs":[{"` + text() + `":1,"wr":"w"}]`}
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		line := []byte("{" + strings.Join(keys, ",") + "}")
		var e Event
		if err := d.decode(line, &e); err != nil {
			t.Fatal(err)
		}
		d.learn(&e, functions[e.Fn])
		functions, pieces := 0, countPieces(t, d.shapes.event)+countPieces(t, d.shapes.request)+countPieces(t, d.shapes.result)
		if i%100 == 0 {
			for _, f := range d.shapes.functions {
				if f != nil {
					functions++
					for _, p := range f.rest {
						pieces += countPieces(t, p)
					}
				}
			}
		}
		if pieces > maxPieces || functions > maxFunctions {
			t.Fatalf("%d pieces of %d functions are remembered", pieces, functions)
		}
	}
	for range 2 {
		sameAsReference(t, d, usual)
	}
	var e Event
	if _, ok := quickly(d, usual, &e); !ok {
		t.Error("a line that came twice is parsed again")
	}
}

func countPieces(t *testing.T, first *piece) (n int) {
	others := 0
	for p := first; p != nil; p = p.other {
		n += 1 + countPieces(t, p.next)
		others++
	}
	if others > maxOthers {
		t.Fatalf("%d pieces in one place", others)
	}
	return n
}

// How the lines before were written never changes what it makes of a line.
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

// The decimals that are written eight digits at once are those of strconv.
func TestDecimal(t *testing.T) {
	var a arena
	check := func(n uint64) {
		if got, want := a.number("a", n), "a"+strconv.FormatUint(n, 10); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	for n := range uint64(200_000) {
		check(n)
		check(1e8 - 1 - n*499)
	}
	for n, i := uint64(1), 0; i < 40; n, i = n*3, i+1 {
		check(n)
	}
	check(math.MaxUint64)
}
