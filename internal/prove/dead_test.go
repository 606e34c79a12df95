package prove

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A step that can be taken has no reason why it cannot, and each reason is given once.
func TestReasons(t *testing.T) {
	if _, err := ReadDead(filepath.Join(tla, "proof")); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		deadHeader + "\nUp\tnever\nDown\tnever\n": "",
		"Up\tnever\n":         "dead.tsv:1: the header",
		deadHeader + "\nUp\n": "dead.tsv:2: a step and the reason",
		deadHeader + "\nUp\tnever\nUp\tnot at all\n": "dead.tsv:3: a step and the reason",
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "dead.tsv"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		reasons, err := ReadDead(folder)
		if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
		if want != "" {
			continue
		}
		if got := Stale(reasons, map[string]bool{"Up": true, "Left": true}); !slices.Equal(got, []string{"Down"}) {
			t.Errorf("stale are %q", got)
		}
	}
}
