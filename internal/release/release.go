// Package release has the version of the programs: that of CHANGELOG.md, and the commit where the build records one.
package release

import (
	"runtime/debug"
	"slices"
)

// Number is the release that the source becomes, by Semantic Versioning 2.0.0. CHANGELOG.md begins with it.
const Number = "0.1.0"

// Version returns the number, with the commit behind a plus where the build records it: 0.1.0+1a2b3c4d5e6f, and .dirty where files had been changed.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Number
	}
	return version(info.Settings)
}

func version(settings []debug.BuildSetting) string {
	value := func(key string) string {
		if i := slices.IndexFunc(settings, func(s debug.BuildSetting) bool { return s.Key == key }); i >= 0 {
			return settings[i].Value
		}
		return ""
	}
	commit := value("vcs.revision")
	if commit == "" {
		return Number
	}
	if commit = commit[:min(12, len(commit))]; value("vcs.modified") == "true" {
		commit += ".dirty"
	}
	return Number + "+" + commit
}
