package tlc

import (
	"context"
	"os"
	"path/filepath"
)

// Count has TLC visit all states of a configuration, and check nothing.
func (r Runner) Count(ctx context.Context, c Configuration) (Result, error) {
	text, err := os.ReadFile(filepath.Join(r.Dir, c.Cfg()))
	if err != nil {
		return Result{}, err
	}
	folder, err := filepath.Abs(r.folder(c))
	if err != nil {
		return Result{}, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return Result{}, err
	}
	cfg := filepath.Join(folder, "count.cfg")
	_, rest := checks(string(text))
	if err := os.WriteFile(cfg, []byte(rest), 0o644); err != nil {
		return Result{}, err
	}
	return r.run(ctx, c, r.Dir, c.Module, cfg, nil)
}
