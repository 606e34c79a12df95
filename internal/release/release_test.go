package release

import (
	"os"
	"regexp"
	"runtime/debug"
	"testing"
)

// semver is the grammar of Semantic Versioning 2.0.0, without what this project does not use.
var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// The changelog begins with the release that the source becomes.
func TestChangelogHasTheRelease(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile(`(?m)^## (\S+)`).FindSubmatch(text)
	if first == nil || string(first[1]) != Number {
		t.Errorf("CHANGELOG.md begins with %q, and the release is %s", first, Number)
	}
	if !semver.MatchString(Number) {
		t.Errorf("%q is not a version", Number)
	}
}

// The version names the commit, and whether files had been changed.
func TestVersion(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}
	for _, test := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, Number},
		{[]debug.BuildSetting{revision}, Number + "+0123456789ab"},
		{[]debug.BuildSetting{revision, {Key: "vcs.modified", Value: "true"}}, Number + "+0123456789ab.dirty"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "01"}}, Number + "+01"},
	} {
		if got := version(test.settings); got != test.want || !semver.MatchString(got) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
