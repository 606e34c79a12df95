package tlc

import (
	"bufio"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Print runs TLC on a module in a folder, with the configuration of the same name, and returns the tuples that it printed
// with PrintT, a line each. Where TLC reached a limit it returns those that were printed so far, and reached says which limit: the time,
// that of the runner or the deadline of ctx, or the memory of Java.
func (r Runner) Print(ctx context.Context, folder, module string) (lines []string, reached string, err error) {
	r.Dir, r.Build = folder, folder
	if r.Timeout == 0 {
		r.Timeout = math.MaxInt64
	}
	c := Configuration{Name: "printed", Module: module}
	result, err := r.run(ctx, c, folder, module, module+".cfg", nil)
	said := strings.Join(result.Errors, "; ")
	switch {
	case errors.Is(err, errTimeLimit) || errors.Is(err, context.DeadlineExceeded):
		reached, err = "the time limit was reached", nil
	case err == nil && result.Verdict == Error && strings.Contains(said, "out of memory"):
		reached = "Java ran out of memory"
	case err == nil && result.Verdict == Error:
		err = errors.New("TLC can't evaluate the module: " + said)
	}
	if err != nil {
		return nil, "", err
	}
	log, err := os.Open(filepath.Clean(r.Log(c)))
	if err != nil {
		return nil, "", err
	}
	defer log.Close()
	text := bufio.NewScanner(log)
	text.Buffer(nil, longestLine)
	for text.Scan() {
		if line := text.Text(); strings.HasPrefix(line, "<<\"") && strings.HasSuffix(line, ">>") {
			lines = append(lines, line)
		}
	}
	return lines, reached, text.Err()
}
