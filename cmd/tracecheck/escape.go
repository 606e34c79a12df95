package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A trace and the names of files are untrusted. Their text must control neither a terminal nor a CI system that reads the output of this program.
// GitHub Actions treats a line as a command if it begins with ::, also after blanks. It and Azure Pipelines look for ##[ and ##vso[ anywhere.

// printable returns a text whose bytes that are not UTF-8, and whose control characters and those of directions, are \xNN or \uNNNN, and so is ##.
// Lines stay lines.
func printable(text string) string {
	harmless := func(r rune) bool { return r == '\n' || unicode.IsPrint(r) }
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !harmless(r) }) {
		text = escaped(text, harmless)
	}
	return strings.ReplaceAll(text, "##", `\x23\x23`)
}

// escaped escapes what is not harmless.
func escaped(text string, harmless func(rune) bool) string {
	var safe strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&safe, `\x%02x`, text[0])
		case harmless(r):
			safe.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&safe, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&safe, `\u%04x`, r)
		default:
			fmt.Fprintf(&safe, `\U%08x`, r)
		}
		text = text[size:]
	}
	return safe.String()
}

// oneLine is printable for a text that has to stay on one line, as the name of a file has.
func oneLine(text string) string { return strings.ReplaceAll(printable(text), "\n", `\n`) }

// noCommand returns a text none of whose lines begins with ::, after blanks or without.
func noCommand(text string) string {
	if !strings.Contains(text, "::") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if begin := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(begin, "::") {
			lines[i] = line[:len(line)-len(begin)] + `\x3a` + begin[1:]
		}
	}
	return strings.Join(lines, "\n")
}

// A noCommands is a writer of whole lines, or of the first parts of lines, none of which is taken for a command.
type noCommands struct{ out io.Writer }

func (w noCommands) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.out, noCommand(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
