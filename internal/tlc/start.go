package tlc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ndkoracle/internal/process"
)

// tiny is a specification that TLC is done with at once.
const tiny = "---- MODULE Tiny ----\nEXTENDS Naturals, Sequences, FiniteSets\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\n" +
	"Safe == [](x \\in {0, 1})\n====\n"

// archiveFlags are those that have Java start from an archive of classes, and say nothing if it can't.
func archiveFlags(archive string) []string {
	return []string{"-XX:SharedArchiveFile=" + archive, "-Xshare:auto", "-Xlog:disable"}
}

// KeepClasses has Java keep what it loads of TLC in a file under Build, from which the runs of r start: most of a short run is the
// loading. The file is made once. One that does not fit, of another jar or another Java, is ignored by Java.
func (r *Runner) KeepClasses(ctx context.Context) error {
	build, err := filepath.Abs(r.Build)
	if err != nil {
		return err
	}
	archive := filepath.Join(build, "classes.jsa")
	if _, err := os.Stat(archive); errors.Is(err, os.ErrNotExist) {
		err = r.makeArchive(ctx, archive)
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	r.archive = archive
	return nil
}

func (r *Runner) makeArchive(ctx context.Context, archive string) error {
	jar, err := filepath.Abs(r.Jar.Path)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(filepath.Dir(archive), "classes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "Tiny.tla"), []byte(tiny), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "Tiny.cfg"), []byte("INIT Init\nNEXT Next\nPROPERTY Safe\n"), 0o644); err != nil {
		return err
	}
	args := append(javaFlags(), "-Djava.io.tmpdir="+folder, "-XX:ArchiveClassesAtExit=made.jsa", "-Xlog:disable", "-cp", jar,
		"tlc2.TLC", "-tool", "-workers", "1", "-metadir", "states", "Tiny")
	java := process.Command(ctx, "java", args...)
	java.Dir = folder
	if out, err := process.Run(java); err != nil {
		return fmt.Errorf("TLC on a specification of two states: %w\n%s", err, out)
	}
	return os.Rename(filepath.Join(folder, "made.jsa"), archive)
}
