package documents

import (
	"reflect"
	"testing"
)

// Commands are found in blocks and in sentences, and those of another program, and what stands for a choice, are not.
func TestCommandsAreFound(t *testing.T) {
	page := "Run `bin/judge a.trace`.\n\n```sh\nmake build; ./judge --format x \\\n  a >b\njudge.exe '--quiet'\ngo run ./judge a\nother judge\n```\n" +
		"`judge [flags] FILE` and `judge --to …` are none. `go test ./judge b` is not one.\n"
	want := [][]string{{"--format", "x", "a"}, {"--quiet"}, {"a.trace"}}
	if found := Commands(page, "judge"); !reflect.DeepEqual(found, want) {
		t.Errorf("%q, want %q", found, want)
	}
}
