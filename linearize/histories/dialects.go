package histories

import (
	"strings"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// Dialects are those that histories are drawn in.
func Dialects() []model.Dialect {
	return []model.Dialect{model.Ndkpi(), model.Ndspi(), model.Verbs(), model.VerbsDevice(), model.Kverbs(), model.Kverbs().AtDevice()}
}

// inDoubt reports whether a finding is none because calls overlap, and another order of them might be allowed.
func inDoubt(f verdict.Finding) bool {
	return f.Verdict == verdict.Inconclusive && strings.Contains(f.Message, "overlap, and were they")
}
