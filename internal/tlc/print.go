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
// with PrintT, a line each. When the time limit is reached it returns those that were printed so far, and finished is false.
// The limit is that of the runner, if it has one, and the deadline of ctx.
func (r Runner) Print(ctx context.Context, folder, module string) (lines []string, finished bool, err error) {
	r.Dir, r.Build = folder, folder
	if r.Timeout == 0 {
		r.Timeout = math.MaxInt64
	}
	c := Configuration{Name: "printed", Module: module}
	result, err := r.run(ctx, c, folder, module, module+".cfg", nil)
	finished = true
	if errors.Is(err, errTimeLimit) || errors.Is(err, context.DeadlineExceeded) {
		finished, err = false, nil
	}
	if err == nil && result.Verdict == Error {
		err = errors.New("TLC can't evaluate the module: " + strings.Join(result.Errors, "; "))
	}
	if err != nil {
		return nil, false, err
	}
	log, err := os.Open(filepath.Clean(r.Log(c)))
	if err != nil {
		return nil, false, err
	}
	defer log.Close()
	text := bufio.NewScanner(log)
	text.Buffer(nil, longestLine)
	for text.Scan() {
		if line := text.Text(); strings.HasPrefix(line, "<<\"") && strings.HasSuffix(line, ">>") {
			lines = append(lines, line)
		}
	}
	return lines, finished, text.Err()
}
