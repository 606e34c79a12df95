package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fix makes of a trace that was written by hand, without numbers that fit and without an end, one that is judged. It does not say that the provider was
// at rest, unless it is told to.
func TestFix(t *testing.T) {
	folder := t.TempDir()
	draft, fixed := filepath.Join(folder, "draft"), filepath.Join(folder, "fixed")
	text := strings.NewReplacer("CALLBACK", callback, `"seq":1`, `"seq":7`).Replace(flushedSend)
	text = text[:strings.Index(text, `{"rec":"end"`)]
	if err := os.WriteFile(draft, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := shipped(t, draft); code != exitMalformed {
		t.Errorf("the draft: exit %d", code)
	}
	for _, given := range []struct {
		flags []string
		code  int
	}{{nil, exitInconclusive}, {[]string{"--quiescent"}, exitConformant}} {
		if code, out, errors := shipped(t, append(append([]string{"fix"}, given.flags...), draft, fixed)...); code != exitConformant || out+errors != "" {
			t.Fatalf("exit %d, %s%s", code, out, errors)
		}
		if code, out, _ := shipped(t, fixed); code != given.code || !strings.Contains(out, "(16 events, ndkpi)") {
			t.Errorf("%v: exit %d, %s", given.flags, code, out)
		}
	}
	want, err := os.ReadFile(fixed)
	if _, out, _ := shipped(t, "fix", "--quiescent", draft, "-"); err != nil || out != string(want) {
		t.Errorf("on standard output: %s (%v)", out, err)
	}
	broken := filepath.Join(folder, "broken")
	if err := os.WriteFile(broken, []byte(text+"\n{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, given := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{draft}, exitUsage, "fix takes a trace, and the file to write"}, {[]string{draft, draft}, exitUsage, "fix would write over the trace"},
		{[]string{folder + "/none", fixed}, exitMalformed, "none: can't be read: no such file or directory"}, {[]string{broken, fixed}, exitMalformed, "broken:18: the line is empty: delete it"},
		{[]string{draft, "/dev/full"}, exitInternal, "/dev/full can't be written: no space left on device"}, {[]string{"--timeout", "0", draft, fixed}, exitUsage, "longer than 0"},
	} {
		code, out, errors := shipped(t, append([]string{"fix"}, given.args...)...)
		if code != given.code || !strings.Contains(errors, given.says) || out != "" {
			t.Errorf("%q: exit %d, %s%s, want %s", given.args, code, out, errors, given.says)
		}
	}
	if have, err := os.ReadFile(fixed); err != nil || string(have) != string(want) {
		t.Errorf("a file is replaced by what could not be fixed: %s (%v)", have, err)
	}
}
