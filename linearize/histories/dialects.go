package histories

import (
	"strings"

	"ndkoracle/linearize/verdict"
	"ndkoracle/model"
)

// Dialects are those of the random histories. Kernel verbs are not among them: of 60,000 histories the engines and the plain search differ in two.
func Dialects() []model.Dialect {
	return []model.Dialect{model.Ndkpi(), model.Ndspi(), model.Verbs(), model.VerbsDevice()}
}

// AllDialects are all that histories can be drawn in.
func AllDialects() []model.Dialect {
	return append(Dialects(), model.Kverbs(), model.Kverbs().AtDevice())
}

// inDoubt reports whether a finding is none because calls overlap, and another order of them might be allowed.
func inDoubt(f verdict.Finding) bool {
	return f.Verdict == verdict.Inconclusive && strings.Contains(f.Message, "overlap, and were they")
}
