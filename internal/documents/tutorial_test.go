package documents

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A shown is a block of commands in a document, the exit code of tracecheck that the text names, and lines of the output.
type shown struct {
	commands []string
	exit     int
	output   []string
}

var (
	fence    = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	exitCode = regexp.MustCompile(`\bexits? with (\d+)\b`)
)

// shownIn returns the blocks of commands of a document. What is said behind one, up to the next, belongs to it.
func shownIn(page string) []shown {
	var all []shown
	exits := func(text string) {
		if m := exitCode.FindStringSubmatch(text); m != nil && len(all) > 0 {
			all[len(all)-1].exit, _ = strconv.Atoi(m[1])
		}
	}
	rest := 0
	for _, at := range fence.FindAllStringSubmatchIndex(page, -1) {
		language, text := page[at[2]:at[3]], page[at[4]:at[5]]
		exits(page[rest:at[0]])
		rest = at[1]
		lines := strings.Split(strings.TrimSpace(text), "\n")
		switch {
		case language == "sh":
			all = append(all, shown{commands: lines})
		case language == "text" && len(all) > 0:
			all[len(all)-1].output = append(all[len(all)-1].output, lines...)
		}
	}
	exits(page[rest:])
	return all
}

// elsewhere are the commands of the tutorial that its test does not run, and why.
var elsewhere = map[string]string{"make build": "the test builds the program in a folder of its own"}

// Each command of docs/tutorial.md runs, exits as the text says, and prints what the text shows.
func TestTutorialRuns(t *testing.T) {
	if skipped := runPage(t, "docs/tutorial.md", 6, "c", "tracecheck"); skipped != len(elsewhere) {
		t.Errorf("%d commands were skipped, not %d", skipped, len(elsewhere))
	}
}

// So does each command of docs/exec-provider.md.
func TestExecProviderPageRuns(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatal("python3 is not installed; make install, or make test, installs it")
	}
	runPage(t, "docs/exec-provider.md", 3, "examples", "tracecheck", "ndkrecord")
}

// runPage runs the commands of a page, of at least so many blocks, beside a folder of the repository and programs that it builds. It returns how many it
// leaves out.
func runPage(t *testing.T, page string, atLeast int, sources string, programs ...string) (skipped int) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Fatalf("there is no C compiler: %v", err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	makeFolders(t, root, folder)
	if err := os.Symlink(filepath.Join(root, sources), filepath.Join(folder, sources)); err != nil {
		t.Fatal(err)
	}
	for _, program := range programs {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(folder, "bin", program), "ndkoracle/cmd/"+program).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	blocks := shownIn(readPages(t)[page])
	if len(blocks) < atLeast {
		t.Fatalf("%s shows %d blocks of commands", page, len(blocks))
	}
	for _, block := range blocks {
		var output strings.Builder
		exit := 0
		for _, command := range block.commands {
			if elsewhere[command] != "" {
				skipped++
				continue
			}
			run := exec.Command("sh", "-c", command)
			run.Dir, run.Stdout, run.Stderr = folder, &output, &output
			var failed *exec.ExitError
			switch err := run.Run(); {
			case errors.As(err, &failed) && strings.HasPrefix(command, "bin/tracecheck "):
				exit = failed.ExitCode()
			case err != nil:
				t.Errorf("%s: %v: %s", command, err, output.String())
			}
		}
		if exit != block.exit {
			t.Errorf("%q exits with %d, not with %d: %s", block.commands, exit, block.exit, output.String())
		}
		printed := strings.Join(strings.Fields(output.String()), " ")
		for _, line := range block.output {
			if want := strings.Join(strings.Fields(line), " "); !strings.Contains(printed, want) {
				t.Errorf("%q does not print %q: %s", block.commands, want, output.String())
			}
		}
	}
	return skipped
}

// makeFolders creates in folder the directories that make build creates.
func makeFolders(t *testing.T, root, folder string) {
	t.Helper()
	recipe, err := exec.Command("make", "-C", root, "--dry-run", "--no-print-directory", "build").Output()
	if err != nil {
		t.Fatalf("make build: %v", err)
	}
	for line := range strings.Lines(string(recipe)) {
		if strings.HasPrefix(line, "mkdir ") {
			run := exec.Command("sh", "-c", line)
			run.Dir = folder
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", line, err, out)
			}
		}
	}
}

// Exit codes and output belong to the commands before them.
func TestShownCommandsAreRead(t *testing.T) {
	blocks := shownIn("# A\n```sh\na\nb\n```\nThis exits with 1 and prints\n```text\nc\n```\n```sh\nd\n```\nIt exits with 4.\n")
	if len(blocks) != 2 || strings.Join(blocks[0].commands, " ") != "a b" || blocks[0].exit != 1 || blocks[0].output[0] != "c" || blocks[1].exit != 4 {
		t.Errorf("%+v", blocks)
	}
}
