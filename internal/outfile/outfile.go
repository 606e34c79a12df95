// Package outfile writes files whole or not at all: beside what is there, and then in its place.
package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// A Place is where a file goes: a path, or a name below a folder. What is named by a path may be a device or a pipe, and is followed where it is a
// symbolic link. Below a folder no link is followed out of it, and one that stands in the place of the file gives way to it.
type Place struct{ Folder, Name string }

// String returns the path of the file.
func (p Place) String() string { return filepath.Join(p.Folder, p.Name) }

// Write writes a file, and makes its parent folders. It waits for the reader of a pipe until ctx is done.
func (p Place) Write(ctx context.Context, write func(io.Writer) error) error {
	err := p.write(ctx, write)
	var path *fs.PathError
	var link *os.LinkError
	switch { // the name is said already
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

func (p Place) write(ctx context.Context, write func(io.Writer) error) error {
	folder, name := p.Folder, p.Name
	if folder == "" {
		target, err := filepath.EvalSymlinks(name)
		if err != nil {
			target = name
		}
		if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return writeInto(ctx, target, write)
		}
		folder, name = filepath.Dir(target), filepath.Base(target)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return replace(root, name, write)
}

// replace writes a file below a folder under another name, which it gets when it is whole.
func replace(root *os.Root, name string, write func(io.Writer) error) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	switch info, err := root.Lstat(name); {
	case err != nil:
	case info.IsDir():
		return errors.New("is a directory")
	case info.Mode().IsRegular():
		mode = info.Mode().Perm()
	}
	begun := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%08x.tmp", rand.Uint32())) // no longer than a name may be
	file, err := root.OpenFile(begun, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return errors.Join(err, root.Remove(begun))
	}
	if err := root.Rename(begun, name); err != nil {
		return errors.Join(err, root.Remove(begun))
	}
	return nil
}

// writeInto writes into a device or a pipe. A pipe that is also opened to read would be its own reader.
func writeInto(ctx context.Context, name string, write func(io.Writer) error) error {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		done <- opened{file, err}
	}()
	var late <-chan time.Time
	for ended := ctx.Done(); ; {
		select {
		case o := <-done:
			if o.err != nil {
				return o.err
			}
			// A reader that takes nothing is waited for no longer than one that does not come.
			stop := context.AfterFunc(ctx, func() { _ = o.file.SetWriteDeadline(time.Now().Add(patience)) })
			defer stop()
			err := errors.Join(write(o.file), o.file.Close())
			if errors.Is(err, os.ErrDeadlineExceeded) {
				return fmt.Errorf("%w before all of it was read", context.Cause(ctx))
			}
			return err
		case <-ended:
			ended, late = nil, time.After(patience) // what is there opens at once, also when ctx had ended before
		case <-late:
			return fmt.Errorf("%w before anybody opened it to read", context.Cause(ctx))
		}
	}
}

// patience is how long an opening may take once its context has ended.
const patience = 50 * time.Millisecond
