package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A binary trace is judged as the same trace in JSON Lines is, by all commands that read one, plain or compressed, named, found below a directory
// or from standard input; and what is converted back is what it was.
func TestBinaryTracesAreJudgedTheSame(t *testing.T) {
	folder := t.TempDir()
	corpus, err := filepath.Glob("../../traces/*t*/*.ndktrace.jsonl") // accept, reject
	if err != nil || len(corpus) < 500 {
		t.Fatalf("%d traces, error %v", len(corpus), err)
	}
	for i := 0; i < len(corpus); i += 120 {
		lines := corpus[i]
		for _, name := range []string{"a.ndktrace.ctf", "a.ndktrace.ctf.zst"} {
			binary := filepath.Join(folder, name)
			back := filepath.Join(folder, "back.ndktrace.jsonl")
			canonical := filepath.Join(folder, "canonical.ndktrace.jsonl")
			for _, args := range [][]string{{"ctf", lines, binary}, {"jsonl", binary, back}, {"jsonl", lines, canonical}} {
				if code, out, stderr := shipped(t, append([]string{"convert", "--to"}, args...)...); code != exitConformant || out != "" {
					t.Fatalf("convert %q: exit %d\n%s%s", args, code, out, stderr)
				}
			}
			if !bytes.Equal(content(t, back), content(t, canonical)) {
				t.Errorf("%s differs when it was converted to %s and back", lines, name)
			}
			for _, args := range [][]string{{"stats"}, {"--format", "json"}, {"--format", "github"}, {"--quiet"}, {"--engine", "porcupine"}} {
				code, out, stderr := shipped(t, append(args, binary)...)
				wantCode, want, wantErr := shipped(t, append(args, canonical)...)
				if code == exitUsage || code != wantCode || shown(out+stderr, binary) != shown(want+wantErr, canonical) {
					t.Errorf("%q of %s: exit %d, want %d\n%s\nwant\n%s", args, name, code, wantCode, out+stderr, want+wantErr)
				}
			}
		}
	}
	code, out, _ := shipped(t, folder)
	if !strings.Contains(out, "a.ndktrace.ctf.zst: ") || !strings.Contains(out, "a.ndktrace.ctf: ") {
		t.Errorf("exit %d: the binary traces of a directory are not among\n%s", code, out)
	}
}

func content(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// shown is an output without the name of its trace.
func shown(out, name string) string { return strings.ReplaceAll(out, name, "TRACE") }

// A binary trace that is cut or damaged is exit 3, with the place.
func TestDamagedBinaryTraces(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	if code, _, stderr := shipped(t, "convert", "--to", "ctf", plainTrace, binary); code != exitConformant {
		t.Fatal(stderr)
	}
	whole := content(t, binary)
	for reason, file := range map[string][]byte{
		"at byte 0: the packet's UUID is ff":                              append(append(append([]byte(nil), whole[:4]...), 0xFF), whole[5:]...),
		"truncated: the file ends at byte 100, in the middle of a packet": whole[:100],
	} {
		if err := os.WriteFile(binary, file, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{binary}, {"stats", binary}, {"convert", "--to", "jsonl", binary, filepath.Join(t.TempDir(), "b")}} {
			if code, out, stderr := shipped(t, args...); code != exitMalformed || !strings.Contains(out+stderr, reason) {
				t.Errorf("%q: exit %d, want %q in\n%s%s", args, code, reason, out, stderr)
			}
		}
	}
}
