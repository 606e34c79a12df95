package prove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A manifest that is not in order is not read.
func TestManifestErrors(t *testing.T) {
	const good = "A\tsafety\tM\tCQ\tproof/CQ\t-\tproved\t-\t1\t2\t0\tfast"
	for text, want := range map[string]string{
		"claim\n":                        ":1: the header",
		manifestHeader + "\nA\tsafety\n": ":2: 2 columns, not 12",
		manifestHeader + "\n" + good + "\n" + good + "\n":                             ":3: A is here twice",
		manifestHeader + "\n" + strings.Replace(good, "safety", "liveness", 1) + "\n": `"liveness" is not a kind`,
		manifestHeader + "\n" + strings.Replace(good, "proved", "true", 1) + "\n":     `"true" is not a verdict`,
		manifestHeader + "\n" + strings.Replace(good, "proved", "fails", 1) + "\n":    "a property is named exactly where",
		manifestHeader + "\n" + strings.Replace(good, "\t2\t", "\tx\t", 1) + "\n":     `"x" is not a number`,
		manifestHeader + "\n" + strings.Replace(good, "fast", "often", 1) + "\n":      `"often" is neither`,
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, ManifestName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	folder := t.TempDir()
	if err := WriteManifest(folder, claims(t)); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(folder, ManifestName))
	want, _ := os.ReadFile(filepath.Join(tla, "proof", ManifestName))
	if err != nil || string(got) != string(want) {
		t.Errorf("the manifest is another one when it is written again: %v", err)
	}
}

// A claim covers a configuration of TLC whose constants it has, or that the file over it makes more general.
func TestCovers(t *testing.T) {
	c := checker(t)
	for _, test := range []struct {
		claim, configuration, property string
		want                           bool
	}{
		{"Ndk-ndkpi", "Ndk-tokens", "BadTokenAborts", true},
		{"Ndk-ndkpi", "Ndk-connect", "UnconnectedSendsNothing", true},
		{"Ndk-ndkpi", "Ndk-tokens", "DeliveredOnce", false},                 // it says nothing of that
		{"Ndk-ndkpi", "Ndk-ndspi", "BadTokenAborts", false},                 // another dialect
		{"Ndk-ndkpi", "Ndk-reading-A8-inline", "BadTokenAborts", false},     // another reading
		{"Ndk-ndkpi", "Ndk-chains", "BadTokenAborts", false},                // a flag that it does not have
		{"Ndk-ndkpi", "Ndk-reads-ignored", "BadTokenAborts", false},         // a truth value that is another
		{"Ndk-ndkpi", "wrong/other-token-told", "MessageIsReceived", false}, // a token more, and an operator
		{"CQ-ndkpi", "CQ-ndkpi", "ArmNotMissed", true},
		{"CQ-ndkpi", "CQ-ndkpi-full", "ArmNotMissed", true},
		{"CQ-ndkpi", "CQ-verbs", "ArmNotMissed", false},
	} {
		got, err := c.Covers(claimOf(t, test.claim), test.configuration, test.property)
		if got != test.want || err != nil {
			t.Errorf("%s covers %s of %s: %v, %v", test.claim, test.property, test.configuration, got, err)
		}
	}
	if _, err := c.Covers(claimOf(t, "CQ-ndkpi"), "no such", "ArmNotMissed"); err == nil || !strings.Contains(err.Error(), "no such.cfg") {
		t.Errorf("got %v", err)
	}
}
