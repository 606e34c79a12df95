package outfile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func has(t *testing.T, file, want string) {
	t.Helper()
	if have, err := os.ReadFile(file); err != nil || string(have) != want {
		t.Errorf("%s has %q, want %q (%v)", file, have, want, err)
	}
}

// A file is there whole, with the mode that it had, or as it was before; nothing else is left in its folder.
func TestWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "new", "file")
	for _, place := range []Place{{Name: file}, {folder, filepath.Join("new", "file")}} {
		if err := place.Write(t.Context(), text("first")); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
		broken := errors.New("broken")
		err := place.Write(t.Context(), func(w io.Writer) error { return errors.Join(text("half")(w), broken) })
		if has(t, file, "first"); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
		if err := place.Write(t.Context(), text("second")); err != nil {
			t.Fatal(err)
		}
		has(t, file, "second")
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v (%v)", info.Mode(), err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(file)); err != nil || len(entries) != 1 {
		t.Errorf("%v (%v)", entries, err)
	}
}

// A link that is named is followed. Below a folder none leads out of it: a file gets the place of a link, and a folder that is one is refused.
func TestLinks(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	target := filepath.Join(elsewhere, "target")
	link, linked := filepath.Join(folder, "link"), filepath.Join(folder, "linked")
	if err := errors.Join(os.WriteFile(target, []byte("precious"), 0o666), os.Symlink(target, link), os.Symlink(elsewhere, linked)); err != nil {
		t.Fatal(err)
	}
	if err := (Place{folder, "link"}).Write(t.Context(), text("in place of a link")); err != nil {
		t.Error(err)
	}
	has(t, target, "precious")
	has(t, link, "in place of a link")
	if err := (Place{folder, "linked/target"}).Write(t.Context(), text("outside")); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("error %v", err)
	}
	has(t, target, "precious")
	if err := errors.Join(os.Remove(link), os.Symlink(target, link), (Place{Name: link}).Write(t.Context(), text("followed"))); err != nil {
		t.Error(err)
	}
	has(t, target, "followed")
}

// What is in the way is told by its reason alone.
func TestInTheWay(t *testing.T) {
	folder := t.TempDir()
	if err := (Place{Name: folder}).Write(t.Context(), text("")); err == nil || err.Error() != "is a directory" {
		t.Errorf("error %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := (Place{Name: filepath.Join(folder, "a")}).Write(ended, text("")); err != nil {
		t.Errorf("a file needs no time: %v", err)
	}
}
