package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ndkoracle/internal/commandline"
	"ndkoracle/internal/documents"
)

func testLine() *commandLine {
	return newCommandLine(streams{strings.NewReader(""), io.Discard, io.Discard}, bufio.NewWriter(io.Discard))
}

// Each command says what it does, with an example that names it, and its help names each of its flags. That of the program has the flags of record.
func TestEachCommandIsDescribed(t *testing.T) {
	root := testLine().Root()
	all := map[string]bool{}
	for _, c := range root.Commands() {
		all[c.Name()] = true
		if c.Short == "" || c.Long == "" || !strings.Contains(c.Example, "ndkrecord "+c.Name()) {
			t.Errorf("%s: %q, %q, %q", c.Name(), c.Short, c.Long, c.Example)
		}
		for _, args := range [][]string{{"help", c.Name()}, {c.Name(), "--help"}, {c.Name(), "-help"}} {
			code, stdout, stderr := command(args...)
			if code != exitSuccess || stderr != "" || !strings.Contains(stdout, "Usage:\n  ndkrecord "+c.Use) || !strings.Contains(stdout, c.Example) {
				t.Errorf("%q: exit code %d, %q, %q", args, code, stdout, stderr)
			}
			c.Flags().VisitAll(func(f *pflag.Flag) {
				if f.Usage == "" || !strings.Contains(stdout, " --"+f.Name) {
					t.Errorf("%q does not name --%s", args, f.Name)
				}
			})
		}
	}
	for _, name := range []string{"record", "run", "attach", "guest", "version", "completion", "man"} {
		if !all[name] {
			t.Errorf("there is no command %s", name)
		}
	}
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}, {"-help"}} {
		code, stdout, _ := command(args...)
		for _, want := range []string{"\n  attach ", "\n  guest ", " --provider NAME", " --scenario NAME", " --seed N", " --ops N", " -o, --output FILE", " --peer FILE", " --verbs-trace FILE", " --zstd", " --list", "130 interrupted"} {
			if code != exitSuccess || !strings.Contains(stdout, want) {
				t.Errorf("%q: exit code %d, and no %q in %s", args, code, want, stdout)
			}
		}
	}
}

// A mistake in a command names what may have been meant, and where the usage stands.
func TestMistakesInCommands(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"help", "geust"}, `"geust" is not a command; did you mean guest?`},
		{[]string{"help", "x"}, `"x" is not a command`},
		{[]string{"gest", "--", "true"}, `"gest" is not a command; did you mean guest?`},
		{[]string{"run", "--resr", "0", "-o", "a.ctf", "--", "true"}, "unknown flag --resr; did you mean --rest?"},
		{[]string{"attach", "--kernl", "-o", "a.jsonl"}, "unknown flag --kernl; did you mean --kernel?"},
		{[]string{"version", "x"}, "version takes no argument"},
		{[]string{"completion", "tcsh"}, "completion takes one of bash, zsh, fish, powershell"},
		{[]string{"man"}, "man takes the folder to write to"},
	} {
		code, stdout, stderr := command(test.args...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, test.want) || !strings.Contains(stderr, `Run "ndkrecord help" for the usage.`) {
			t.Errorf("%q: exit code %d, %q, %q; want %q", test.args, code, stdout, stderr, test.want)
		}
	}
}

// The scenario of the root can be asked for by the name of its command, and by flags with one dash, as package flag had them.
func TestFlagsMayHaveOneDash(t *testing.T) {
	for _, args := range [][]string{{"record", "--scenario", "drain", "--output"}, {"-scenario", "drain", "--o"}, {"-scenario=drain", "-zstd=false", "-o"}} {
		file := filepath.Join(t.TempDir(), "trace.jsonl")
		code, stdout, stderr := command(append(args, file, "-ops", "5")...)
		if info, err := os.Stat(file); code != exitSuccess || stdout != "" || err != nil || info.Size() == 0 {
			t.Errorf("%q: exit code %d, %q, %q, %v", args, code, stdout, stderr, err)
		}
	}
}

// What follows the program to run is the program's, whether -- stands before it or not.
func TestProgramsHaveFlagsOfTheirOwn(t *testing.T) {
	tools(t, nil, map[string]string{"bash": `while [ "$1" != -- ]; do shift; done; echo "$*"; exit 3`})
	for _, args := range [][]string{{"--"}, {"--mem", "1G"}, {"-mem=1G", "--"}} {
		code, stdout, stderr := command(append(append([]string{"guest"}, args...), "prog", "-d", "rxe0", "--help", "--", "-x")...)
		if code != 3 || stdout != "-- prog -d rxe0 --help -- -x\n" || stderr != "" {
			t.Errorf("%q: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		if code, stdout, _ := command(arg); code != exitSuccess || !strings.HasPrefix(stdout, "ndkrecord 0.") || !strings.Contains(stdout, "trace format 1") {
			t.Errorf("%s: exit code %d, %q", arg, code, stdout)
		}
	}
}

// A shell completes commands, flags with record or without, and the values of flags.
func TestCompletion(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"att"}, "attach\trecord what kernel code"}, {[]string{"--sce"}, "--scenario"}, {[]string{"--scenario", "dra"}, "drain\n"}, {[]string{"record", "--prov"}, "--provider"},
		{[]string{"--provider", ""}, "exec:\n"}, {[]string{"guest", "--accel", ""}, "tcg\n"}, {[]string{"run", "--re"}, "--rest"}, {[]string{"completion", ""}, "fish\n"},
		{[]string{"run", "-o", "a.ctf", "--", ""}, ":0\n"},
	} {
		code, stdout, stderr := command(append([]string{cobra.ShellCompRequestCmd}, test.args...)...)
		if code != exitSuccess || !strings.Contains(stdout, test.want) {
			t.Errorf("%q: exit code %d, want %q in %s%s", test.args, code, test.want, stdout, stderr)
		}
	}
	for _, shell := range commandline.Shells() {
		code, stdout, stderr := command("completion", shell)
		if code != exitSuccess || !strings.Contains(stdout, "ndkrecord") || strings.Contains(stdout, "tracecheck") {
			t.Errorf("%s: exit code %d, %d bytes, %q", shell, code, len(stdout), stderr)
		}
		if _, err := exec.LookPath(shell); err != nil || shell == "powershell" {
			continue
		}
		check := exec.CommandContext(t.Context(), shell, "-n")
		check.Stdin = strings.NewReader(stdout)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s does not take its script: %v\n%s", shell, err, out)
		}
	}
}

// There is a manual page for the program and for each command, with each of its flags.
func TestManualPages(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	if code, _, stderr := command("man", folder); code != exitSuccess {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	root := testLine().Root()
	for _, c := range append(root.Commands(), root) {
		if c.Hidden {
			continue
		}
		page, err := os.ReadFile(filepath.Join(folder, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
		}
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"} {
			if !strings.Contains(string(page), "\n.SH "+section+"\n") {
				t.Errorf("%s has no %s", c.Name(), section)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(string(page), `\fB\-\-`+strings.ReplaceAll(f.Name, "-", `\-`)+`\fR`) {
				t.Errorf("%s has no --%s", c.Name(), f.Name)
			}
		})
	}
	if code, _, stderr := command("man", filepath.Join(folder, "ndkrecord.1")); code != exitFailure || !strings.Contains(stderr, "can't be written") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// A writer that fails stands for a full disk.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// What can't be printed is an error.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"version"}, {"--list"}, {"completion", "bash"}} {
		var stderr strings.Builder
		if code := run(t.Context(), args, fullDisk{}, &stderr); code != exitFailure || !strings.Contains(stderr.String(), "can't be written") {
			t.Errorf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
}

// The documents show no command line that ndkrecord refuses.
func TestDocumentsShowCommandsThatExist(t *testing.T) {
	pages, err := documents.Pages(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(args []string) error {
		l := testLine()
		args, err := l.Route(args)
		if err != nil {
			return err
		}
		c, rest, err := l.Root().Find(args)
		if err != nil {
			return err
		}
		return c.ParseFlags(rest)
	}
	shown := 0
	for name, page := range pages {
		for _, args := range documents.Commands(page, "ndkrecord") {
			if err := refused(args); err != nil {
				t.Errorf("%s: ndkrecord %s: %v", name, strings.Join(args, " "), err)
			}
			shown++
		}
	}
	if shown < 15 {
		t.Errorf("%d commands were looked at", shown)
	}
	for _, wrong := range []string{"atach --kernel", "run --no-such", "--ops many"} {
		if refused(strings.Fields(wrong)) == nil {
			t.Errorf("%s: accepted", wrong)
		}
	}
}
