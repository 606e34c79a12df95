package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
)

// codeclimateReporter writes a list of issues as Code Climate has them, which GitLab shows as code quality.
type codeclimateReporter struct {
	out      *bufio.Writer
	settings *settings
	issues   []codeclimateIssue
}

type (
	codeclimateIssue struct {
		Type        string              `json:"type"`
		Check       string              `json:"check_name"`
		Description string              `json:"description"`
		Content     *codeclimateContent `json:"content,omitempty"`
		Categories  []string            `json:"categories"`
		Severity    string              `json:"severity"`
		Fingerprint string              `json:"fingerprint"`
		Location    codeclimateLocation `json:"location"`
	}
	codeclimateContent struct {
		Body string `json:"body"` // Markdown
	}
	codeclimateLocation struct {
		Path  string           `json:"path"`
		Lines codeclimateLines `json:"lines"`
	}
	codeclimateLines struct {
		Begin int `json:"begin"`
		End   int `json:"end"`
	}
)

var codeclimateSeverities = map[level]string{isError: "critical", isWarning: "minor", isNote: "info"}

func (w *codeclimateReporter) result(r *result) {
	w.add(filepath.ToSlash(r.report.File), r.remarks(w.settings))
}

func (w *codeclimateReporter) end(sum *summary) {
	w.add("-", coverageRemarks(sum))
	writeJSON(w.out, orEmpty(w.issues))
}

// add lists remarks on a file. An issue needs a line, which is the first where none is to blame, and a fingerprint that no other one has: it is made
// of the file, the check, the fingerprint of the finding or the text, and how many issues of the file before it are the same in these.
func (w *codeclimateReporter) add(file string, remarks []remark) {
	before := map[string]int{}
	for _, m := range remarks {
		of := m.fingerprint
		if of == "" {
			of = m.text
		}
		same := m.check + "\n" + of
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", file, same, before[same]))
		before[same]++
		line := max(m.line, 1)
		var content *codeclimateContent
		if page := w.settings.pageOfRule(m.check); page != "" {
			content = &codeclimateContent{fmt.Sprintf("[%s](<%s>)", m.check, page)}
		}
		w.issues = append(w.issues, codeclimateIssue{
			Type: "issue", Check: printable(m.check), Description: printable(m.text), Content: content, Categories: []string{"Bug Risk"},
			Severity: codeclimateSeverities[m.level], Fingerprint: hex.EncodeToString(sum[:16]),
			Location: codeclimateLocation{printable(file), codeclimateLines{line, line}},
		})
	}
}
