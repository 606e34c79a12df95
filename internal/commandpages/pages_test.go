package commandpages

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
)

const repository = "../.."

// built is the folder with the programs, which all tests share.
var built string

func TestMain(m *testing.M) {
	os.Exit(withPrograms(m.Run))
}

// withPrograms runs something when the programs are built.
func withPrograms(do func() int) int {
	var err error
	if built, err = os.MkdirTemp("", "commandpages"); err == nil {
		defer os.RemoveAll(built)
		err = Build(repository, built)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return do()
}

// pagesOf returns the pages as the programs write them now.
func pagesOf(t *testing.T) map[string]string {
	t.Helper()
	pages, err := Pages(repository, built)
	if err = errors.Join(err, readSources()); err != nil {
		t.Fatal(err)
	}
	return pages
}

// readSources reads the folders that the programs are built from, so that the go command does not take an earlier result of a test when a file there has
// changed.
func readSources() error {
	for _, program := range programs {
		listing, err := output(repository, "go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", "./cmd/"+program)
		if err != nil {
			return err
		}
		for folder := range strings.FieldsSeq(listing) {
			if _, err := os.ReadDir(folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// stale returns the pages that are missing, are not what the programs say, or are of no command.
func stale(pages map[string]string, folder fs.FS) ([]string, error) {
	var found []string
	files, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if _, known := pages[file.Name()]; !known {
			found = append(found, file.Name()+" is of no command")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if text, err := fs.ReadFile(folder, name); err != nil || string(text) != pages[name] {
			found = append(found, name+" is stale")
		}
	}
	return found, nil
}

// docs/commands/ has a page for each command, and each says what the command is today.
func TestPagesAreCurrent(t *testing.T) {
	pages := pagesOf(t)
	folder := os.DirFS(filepath.Join(repository, Folder))
	found, err := stale(pages, folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range found {
		t.Errorf("%s: run \"go generate ./internal/commandpages\"", complaint)
	}
	old := fstest.MapFS{"gone.md": {}, "same.md": {}, "changed.md": {}}
	found, err = stale(map[string]string{"same.md": "", "changed.md": "x", "new.md": ""}, old)
	if want := []string{"gone.md is of no command", "changed.md is stale", "new.md is stale"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("%q, %v; want %q", found, err, want)
	}
}

var (
	commandInHelp = regexp.MustCompile(`(?m)^  ([a-z-]+) +\S`)
	flagInHelp    = regexp.MustCompile(`(?m)^ +(?:(-\w), )?(--[a-z-]+)`)
)

// section returns what stands below a heading of a help, or of a page, up to the next one.
func section(text, heading, next string) string {
	_, text, _ = strings.Cut(text, heading)
	text, _, _ = strings.Cut(text, next)
	return text
}

// incomplete returns what the help of a command has and its page lacks.
func incomplete(help, page string) (lacks []string) {
	flags := flagInHelp.FindAllStringSubmatch(section(help, "\nFlags:\n", "\n\n"), -1)
	for _, flag := range flags {
		row := "\n| `" + flag[2] + "` |"
		if flag[1] != "" {
			row = "\n| `" + flag[1] + "`, `" + flag[2] + "` |"
		}
		if !strings.Contains(section(page, "\n## Flags\n", "\n## "), row) {
			lacks = append(lacks, flag[2])
		}
	}
	if len(flags) == 0 {
		lacks = append(lacks, "any flag in the help")
	}
	for exit := range strings.SplitSeq(strings.TrimSuffix(strings.Join(strings.Fields(section(help, "\nExit: ", "\n\n")), " "), "."), ", ") {
		if code, _, _ := strings.Cut(exit, " "); regexp.MustCompile(`^(\d+|PROGRAM's)$`).MatchString(code) && !strings.Contains(page, "\n| "+code+" | ") {
			lacks = append(lacks, "exit "+code)
		}
	}
	for line := range strings.Lines(section(help, "\nExamples:\n", "\n\n")) {
		if !strings.Contains(section(page, "\n```sh\n", "```"), strings.TrimSpace(line)+"\n") {
			lacks = append(lacks, "example "+strings.TrimSpace(line))
		}
	}
	for _, part := range []string{"\n## Usage\n", "\n## Exit codes\n", "\n## See also\n\n- ["} {
		if !strings.Contains(page, part) {
			lacks = append(lacks, part)
		}
	}
	return lacks
}

// Each command that the help lists has a page, which has each flag, exit code and example of the command's help.
func TestPagesHaveWhatTheHelpHas(t *testing.T) {
	pages := pagesOf(t)
	seen := map[string]bool{Index: true}
	for _, program := range programs {
		help, err := exec.Command(filepath.Join(built, program), "help").Output()
		if err != nil {
			t.Fatal(err)
		}
		commands := []string{""}
		for _, m := range commandInHelp.FindAllStringSubmatch(section(string(help), "\nAvailable Commands:\n", "\n\n"), -1) {
			commands = append(commands, m[1])
		}
		if len(commands) < 7 {
			t.Errorf("%s: commands %q", program, commands)
		}
		for _, command := range commands {
			name := strings.TrimSuffix(program+"-"+command, "-") + ".md"
			help, err := exec.Command(filepath.Join(built, program), slices.DeleteFunc([]string{"help", command}, func(s string) bool { return s == "" })...).Output()
			if err != nil {
				t.Fatal(err)
			}
			for _, lack := range incomplete(string(help), pages[name]) {
				t.Errorf("%s lacks %s", name, lack)
			}
			if seen[name] = true; !strings.Contains(pages[Index], "]("+name+") | ") {
				t.Errorf("the index lacks %s", name)
			}
		}
	}
	for name := range pages {
		if !seen[name] {
			t.Errorf("no help lists the command of %s", name)
		}
	}
	help := "of p\n\nExit: 0 done, 7 late,\n5 no.\n\nUsage:\n  p\n\nExamples:\n  p a\n\nFlags:\n  -o, --out FILE   where\n      --all        of\n"
	page := "\n## Usage\n\n## Examples\n\n```sh\np a\n```\n\n## Flags\n\n| a |\n| `-o`, `--out` | `FILE` |\n| `--all` | |\n\n## Exit codes\n\n| 0 | d |\n| 7 | l |\n| 5 | n |\n\n## See also\n\n- [x](y)"
	if lacks := incomplete(help, page); lacks != nil {
		t.Errorf("%q", lacks)
	}
	for cut, want := range map[string]string{"| `--all` | |\n": "--all", "`-o`, ": "--out", "| 7 | l |\n": "exit 7", "p a\n": "example p a", "\n## Usage\n": "\n## Usage\n"} {
		if lacks := incomplete(help, strings.Replace(page, cut, "", 1)); !slices.Equal(lacks, []string{want}) {
			t.Errorf("without %q: %q", cut, lacks)
		}
	}
}

// The page of a command has the values and the default of a flag, and what links to more.
func TestPageOfCheck(t *testing.T) {
	pages := pagesOf(t)
	for _, part := range []string{
		"# tracecheck check\n\nJudge traces", "| `--engine` | `engine`: `auto`, `stream`, `porcupine`, `tlc` | `auto` | ", "| `--quiet` |  |  | ", "| 130 | interrupted",
		"\n- [what tracecheck writes](../tracecheck-output.md)\n", written,
	} {
		if !strings.Contains(pages["tracecheck-check.md"], part) {
			t.Errorf("no %q in\n%s", part, pages["tracecheck-check.md"])
		}
	}
	for _, program := range []string{"mutants", "prove", "testreport", "tlcrun", "tracegen"} {
		if !strings.Contains(pages[Index], "\n| `"+program+"` | ") {
			t.Errorf("the index lacks %s", program)
		}
	}
}

// notRun are the beginnings of examples that TestExamplesRun does not run, and why.
var notRun = map[string]string{
	"tracecheck completion zsh ": "it writes into a folder of the user", "ndkrecord completion zsh ": "it writes into a folder of the user",
	"tracecheck completion fish ": "it writes into a folder of the user", "ndkrecord completion fish ": "it writes into a folder of the user",
	"tracecheck completion powershell ": "it needs PowerShell", "ndkrecord completion powershell ": "it needs PowerShell",
	"ndkrecord run ": "it needs a device; scripts/device.sh records with it", "ndkrecord guest ": "it boots a virtual machine; scripts/device.sh does so",
	"sudo ndkrecord attach ":         "it records the kernel; scripts/device.sh records with it",
	"ndkrecord --provider verbs ":    "it needs a device; scripts/device.sh records with it",
	"ndkrecord record --provider \"": "it needs a program; docs/exec-provider.md is run with one",
}

// leftOut returns the beginning of an example that is not run, or "".
func leftOut(example string) string {
	for begin := range notRun {
		if strings.HasPrefix(example, begin) {
			return begin
		}
	}
	return ""
}

var examples = regexp.MustCompile("(?s)```sh\n(.*?)```")

// Each example of the pages runs and exits with 0, beside traces that have the names that it takes, unless it needs what a test does not have.
func TestExamplesRun(t *testing.T) {
	pages := pagesOf(t)
	folder := t.TempDir()
	for name, from := range map[string]string{
		"run.ndktrace.jsonl": "accept/bound-window", "run.ndktrace.jsonl.zst": "accept/bound-window", "draft.ndktrace.jsonl": "accept/bound-window",
		"traces/one.ndktrace.jsonl": "accept/bound-window", "a.ndktrace.jsonl": "joined/ping-pong-a", "b.ndktrace.jsonl": "joined/ping-pong-b",
	} {
		text, err := os.ReadFile(filepath.Join(repository, "traces", from+".ndktrace.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".zst") {
			encoder, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			text = encoder.EncodeAll(text, nil)
		}
		file := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, text, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	ran, left := 0, map[string]bool{}
	for _, name := range slices.SortedFunc(maps.Keys(pages), byCommand) {
		for _, block := range examples.FindAllStringSubmatch(pages[name], -1) {
			for line := range strings.Lines(block[1]) {
				if begin := leftOut(line); begin != "" {
					left[begin] = true
					continue
				}
				command := exec.Command("bash", "-euo", "pipefail", "-c", line)
				command.Dir, command.Env = folder, append(os.Environ(), "PATH="+built+":"+os.Getenv("PATH"))
				if out, err := command.CombinedOutput(); err != nil {
					t.Errorf("%s: %s: %v\n%s", name, strings.TrimSpace(line), err, out)
				}
				ran++
			}
		}
	}
	for begin, why := range notRun {
		if !left[begin] {
			t.Errorf("no example begins with %q (%s)", begin, why)
		}
	}
	if ran < 25 {
		t.Errorf("%d examples were run", ran)
	}
}
