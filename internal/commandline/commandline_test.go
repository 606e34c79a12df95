package commandline

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// made is a program with two commands, copy, which is the main one, and remove.
type made struct {
	*Line
	out    bytes.Buffer
	ran    string
	args   []string
	rest   time.Duration
	output string
	code   int
	err    error
}

func newMade(p Program) *made {
	m := &made{}
	p.Use, p.Short, p.Long, p.Example, p.Failure, p.Version = "made [copy] FILE", "do things", strings.Repeat("long text ", 30), "  made a", 9, "1.2"
	p.Details = Details{Exits: []Exit{{"0", "done"}, {"9", "no output"}}, See: []Document{{"more.md", "all of it"}}}
	m.Line = New(p, &m.out, &m.out)
	work := func(name string) Work {
		return func(_ context.Context, args []string) (int, error) {
			m.ran, m.args = name, args
			return m.code, m.err
		}
	}
	copying := m.Command("copy [flags] FILE", "copy a file", "copy copies a file.", "  made copy a", work("copy"))
	copying.Flags().DurationVar(&m.rest, "rest", time.Second, "`TIME` to rest")
	copying.Flags().StringVarP(&m.output, "output", "o", "", "`FILE` to write")
	copying.Flags().Uint64("seed", 0, "a number; "+strings.Repeat("long text ", 30))
	copying.Flags().Bool("all", false, "copy all")
	Complete(copying, "output", "one", "two")
	m.Add(copying, m.Command("remove FILE", "remove a file", "remove removes a file.", "  made remove a", work("remove")))
	return m
}

// do runs a new command line. It returns what the program prints.
func do(t *testing.T, p Program, args ...string) (m *made, code int, printed string) {
	t.Helper()
	m = newMade(p)
	code, err := m.Run(t.Context(), args)
	if err != nil {
		m.out.WriteString(Complaint("made", err))
	}
	return m, code, m.out.String()
}

// The arguments go to the command that they name, and to the main one where they name none.
func TestArgumentsReachTheirCommand(t *testing.T) {
	for _, test := range []struct {
		args, ran, rest string
		oneDash         bool
	}{
		{"", "copy", "", false}, {"a b", "copy", "a b", false}, {"copy a", "copy", "a", false}, {"remove a", "remove", "a", false}, {"--all a remove", "copy", "a remove", false},
		{"-- remove", "copy", "remove", false}, {"-all a", "copy", "a", true}, {"-rest 2s -o=x -all=true a", "copy", "a", true}, {"copy -rest=2s --o x a", "copy", "a", true},
		{"-o -all a", "copy", "a", true}, {"-- -all", "copy", "-all", true},
	} {
		m, code, printed := do(t, Program{OneDash: test.oneDash}, strings.Fields(test.args)...)
		if code != 0 || m.ran != test.ran || strings.Join(m.args, " ") != test.rest || printed != "" {
			t.Errorf("%q: exit code %d, %s %q, %q", test.args, code, m.ran, m.args, printed)
		}
		if strings.Contains(test.args, "rest") && (m.rest != 2*time.Second || m.output != "x") {
			t.Errorf("%q: %v, %q", test.args, m.rest, m.output)
		}
	}
	if m, _, _ := do(t, Program{OneDash: true}, "-o", "-all", "a"); m.output != "-all" {
		t.Errorf("the value of a flag was taken for a flag: %q", m.output)
	}
}

// A mistake names what may have been meant, and is a usage error.
func TestMistakesNameWhatWasMeant(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("remvoe", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	files, none := Program{Files: true}, Program{}
	for _, test := range []struct {
		program Program
		args    string
		want    string
	}{
		{files, "remov a", `"remov" is neither a command nor a file; did you mean remove?`},
		{none, "remov a", `"remov" is not a command; did you mean remove?`},
		{none, "remvoe a", `"remvoe" is not a command; did you mean remove?`},
		{none, "help copi", `"copi" is not a command; did you mean copy?`},
		{none, "help elsewhere", `"elsewhere" is not a command` + "\n"},
		{none, "help copy remove", "help takes one command"},
		{none, "--al a", "unknown flag --al\n"},
		{none, "--alll a", "unknown flag --alll; did you mean --all?"},
		{none, "copy --resr 2s", "unknown flag --resr; did you mean --rest?"},
		{none, "copy -seed 2", "a flag has two dashes: --seed, not -seed"},
		{Program{OneDash: true}, "copy -seeed 2", "unknown flag -seeed; did you mean --seed?"},
		{none, "-x", "unknown flag -x\n"},
		{none, "--seed", "flag needs an argument: --seed"},
		{none, "-o", "flag needs an argument: -o\n"},
		{none, "--seed -1", `invalid value "-1" for --seed: must be a whole number, 0 or more`},
		{none, "--rest 10", `invalid value "10" for --rest: must be a time, such as 300ms`},
		{none, "--all=maybe", `invalid value "maybe" for --all: must be true or false`},
		{none, "completion tcsh", "completion takes one of bash, zsh, fish, powershell"},
		{none, "man", "man takes the folder to write to"},
	} {
		m, code, printed := do(t, test.program, strings.Fields(test.args)...)
		if code != ExitUsage || m.ran != "" || !strings.HasPrefix(printed, "made: "+test.want) || !strings.HasSuffix(printed, "\nRun \"made help\" for the usage.\n") {
			t.Errorf("%q: exit code %d, %q; want %q", test.args, code, printed, test.want)
		}
	}
	for _, args := range []string{"remvoe", "./remov", "remov*"} { // a file, and what looks like one
		if m, code, printed := do(t, files, args); code != 0 || m.ran != "copy" {
			t.Errorf("%q: exit code %d, %q", args, code, printed)
		}
	}
}

// The exit code is the command's, unless its error is one of usage.
func TestExitCodes(t *testing.T) {
	cause := errors.New("cause")
	for _, test := range []struct {
		code int
		err  error
		want int
	}{{0, nil, 0}, {7, nil, 7}, {7, cause, 7}, {0, UsageError("wrong: %w", cause), ExitUsage}} {
		m := newMade(Program{})
		m.code, m.err = test.code, test.err
		code, err := m.Run(t.Context(), []string{"remove", "a"})
		if code != test.want || !errors.Is(err, test.err) || test.err != nil && !errors.Is(err, cause) {
			t.Errorf("%d, %v: exit code %d, %v", test.code, test.err, code, err)
		}
	}
	if text := Complaint("made", cause); text != "made: cause\n" || IsUsage(cause) {
		t.Errorf("%q", text)
	}
}

// Help has the example and each flag, in lines that are not too long. That of the program has the commands and the flags of the main one.
func TestHelp(t *testing.T) {
	for args, wants := range map[string][]string{
		"help":        {"\n\nExit: 0 done, 9 no output.\n\nUsage:\n  made [copy] FILE\n", "\n  remove      remove a file\n", "\n  help        describe", "Flags of copy", "--seed", "--version"},
		"--help":      {"Usage:\n  made [copy] FILE\n", "Flags of copy"},
		"help copy":   {"copy copies a file.", "Usage:\n  made copy [flags] FILE\n", "Examples:\n  made copy a\n", "--all ", "--rest TIME", "-o, --output FILE", "(default 1s)", "-h, --help"},
		"copy --help": {"-o, --output FILE"},
	} {
		m, code, printed := do(t, Program{}, strings.Fields(args)...)
		if code != 0 || m.ran != "" {
			t.Errorf("%s: exit code %d", args, code)
		}
		for _, want := range wants {
			if !strings.Contains(printed, want) {
				t.Errorf("%s: no %q in\n%s", args, want, printed)
			}
		}
		for line := range strings.Lines(printed) {
			if len(line) > TextWidth+1 {
				t.Errorf("%s: %d characters in %q", args, len(line), line)
			}
		}
		if strings.Contains(printed, "\n  man ") {
			t.Errorf("%s lists the hidden command man", args)
		}
	}
	if lines := Wrap("é bb cccc\n\nd", 4); !slices.Equal(lines, []string{"é bb", "cccc", "", "d"}) {
		t.Errorf("%q", lines)
	}
}

// A shell completes commands, flags of the main command and of another, and values. Files are completed where the program takes them.
func TestCompletion(t *testing.T) {
	for args, want := range map[string]string{
		"rem": "remove\tremove a file\n", "--al": "--all\t", "a --al": "--all\t", "copy -o t": "two\n", "completion f": "fish\n", "copy": ":0\n",
	} {
		if _, code, printed := do(t, Program{Files: true}, append([]string{"__complete"}, strings.Fields(args)...)...); code != 0 || !strings.Contains(printed, want) {
			t.Errorf("%q: exit code %d, no %q in %q", args, code, want, printed)
		}
	}
	for _, shell := range Shells() {
		if _, code, printed := do(t, Program{}, "completion", shell); code != 0 || !strings.Contains(printed, "made") {
			t.Errorf("%s: exit code %d, %d bytes", shell, code, len(printed))
		}
	}
}

// There is a manual page for the program and for each command that is not hidden. What would be a request of roff is text.
func TestManualPages(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	if _, code, printed := do(t, Program{}, "man", folder); code != 0 {
		t.Fatalf("exit code %d, %s", code, printed)
	}
	for name, wants := range map[string][]string{
		"made.1":        {`.TH MADE 1 "" "made 1.2" "User Commands"`, `\fBmade\-remove\fR(1)`, "\nall of it: docs/more.md of the source\n", ".SH EXIT STATUS\n.TP\n\\fB0\\fR\ndone\n"},
		"made-copy.1":   {".SH SYNOPSIS\nmade copy [flags] FILE\n", ".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nFILE to write\n", ".nf\n  made copy a\n.fi\n", `\fBmade\fR(1)`},
		"made-remove.1": {`made\-remove \- remove a file`}, "made-completion.1": {"powershell"}, "made-help.1": {"describe a command"},
	} {
		page, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(page), want) {
				t.Errorf("%s: no %q in\n%s", name, want, page)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "made-man.1")); err == nil {
		t.Error("the hidden command man has a page")
	}
	if got, want := roff("a\\b\n.TH x\n'c -"), "a\\eb\n\\&.TH x\n\\&'c \\-"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, code, printed := do(t, Program{}, "man", filepath.Join(folder, "made.1")); code != 9 || !strings.Contains(printed, "can't be written") {
		t.Errorf("exit code %d, %s", code, printed)
	}
}

// There is a page in Markdown for the program and for each command that is not hidden. It has the choices and the default of a flag, and what means something
// in Markdown is text.
func TestMarkdownPages(t *testing.T) {
	folder := t.TempDir()
	if _, code, printed := do(t, Program{}, "man", "--markdown", folder); code != 0 {
		t.Fatalf("exit code %d, %s", code, printed)
	}
	for name, wants := range map[string][]string{
		"made.md": {"# made\n\nDo things.\n", "```text\nmade [copy] FILE\n```", "| [`remove`](made-remove.md) | remove a file |\n", "The flags of [`copy`](made-copy.md)",
			"## Exit codes\n\n| exit | meaning |\n|---|---|\n| 0 | done |\n| 9 | no output |\n", "- [all of it](../more.md)\n- [all programs](README.md)\n"},
		"made-copy.md": {"```sh\nmade copy a\n```", "| `-o`, `--output` | `FILE`: `one`, `two` |  | FILE to write |\n", "| `--rest` | `TIME` | `1s` | TIME to rest |\n", "- [all commands of made](made.md)\n"},
	} {
		page, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(page), want) {
				t.Errorf("%s: no %q in\n%s", name, want, page)
			}
		}
	}
	if pages, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(pages) != 5 {
		t.Errorf("%q, %v", pages, err)
	}
	if got, want := cell("a|b *c* with --all (-o) <d> e-f"), "a\\|b \\*c\\* with `--all` (`-o`) \\<d\\> e-f"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
