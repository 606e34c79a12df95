package documents

import (
	"path"
	"regexp"
	"strings"
)

// A page shows a command in a block, or within a sentence. The program is named by whatever path.
var (
	commandBlock = regexp.MustCompile("(?s)```\\w*\n(.*?)```|((?:\n {4}[^\n]+)+)")
	commandSpan  = regexp.MustCompile("`([^`\n]+)`")
	commandEnds  = regexp.MustCompile(`;|&&|\|\||\||>|<| #|$`)
	ofOthers     = regexp.MustCompile(`\b(?:podman|docker|go|make|scripts/\S+) [^;&|]*$`)
)

// Commands returns the arguments of each command line of a program that a page shows.
func Commands(page, program string) (all [][]string) {
	for _, m := range commandBlock.FindAllStringSubmatch(page, -1) {
		all = append(all, commandLines(m[1]+m[2], program)...)
	}
	for _, m := range commandSpan.FindAllStringSubmatch(page, -1) {
		all = append(all, commandLines(m[1], program)...)
	}
	return all
}

// commandLines returns the arguments of each command line of a program in a text. What stands for something else, or for a choice, is not one.
func commandLines(text, program string) (all [][]string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		for _, command := range commandEnds.Split(strings.TrimSpace(line), -1) {
			words := strings.Fields(command)
			for i, word := range words {
				if name := strings.TrimSuffix(path.Base(word), ".exe"); name != program || ofOthers.MatchString(strings.Join(words[:i+1], " ")) {
					continue
				}
				if args := words[i+1:]; len(args) > 0 && !strings.ContainsAny(strings.Join(args, ""), "…[") {
					for k := range args {
						args[k] = strings.Trim(args[k], `"'`)
					}
					all = append(all, args)
				}
				break
			}
		}
	}
	return all
}
