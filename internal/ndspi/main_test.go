package ndspi

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ndkoracle/internal/programs"
	"ndkoracle/linearize"
	"ndkoracle/linearize/verdict"
	"ndkoracle/trace"
)

const (
	c        = "../../c"
	recorder = c + "/ndspi"
	example  = c + "/example/ndspi"
)

// windows is a Windows with the recorder, the example provider and its consumer.
type windows struct {
	wine, recorder, provider, consumer string
}

func newWindows(t *testing.T) *windows {
	t.Helper()
	programs.Depend(t, c+"/ndk*", recorder+"/*", example+"/*")
	folder := t.TempDir()
	w := &windows{
		recorder: filepath.Join(folder, "ndspi-recorder.dll"), provider: filepath.Join(folder, "provider.dll"), consumer: filepath.Join(folder, "consumer.exe"),
	}
	compile := func(to string, args ...string) {
		t.Helper()
		all := append([]string{"-std=gnu99", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-static", "-I", recorder, "-o", to}, args...)
		programs.Run(t, exec.Command(programs.Path(t, programs.Mingw), all...))
	}
	compile(w.recorder, "-shared", recorder+"/recorder.c", recorder+"/recorder.def")
	compile(w.provider, "-shared", example+"/provider.c", example+"/provider.def", "-lws2_32")
	compile(w.consumer, example+"/consumer.c", "-lws2_32")
	w.wine = programs.Windows(t)
	return w
}

// command plays a case of the consumer through a library, with settings of the environment.
func (w *windows) command(library, name string, settings ...string) *exec.Cmd {
	command := exec.Command(w.wine, w.consumer, library, w.provider, name)
	command.Env = append(os.Environ(), settings...)
	return command
}

// recorded plays a case through the recorder, and returns the trace.
func (w *windows) recorded(t *testing.T, name string, settings ...string) *trace.Trace {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.ndktrace.ctf")
	settings = append([]string{"NDKRECORD_PROVIDER=" + w.provider, "NDKRECORD_FILE=" + file}, settings...)
	programs.Run(t, w.command(w.recorder, name, settings...))
	whole, err := trace.ReadFile(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func judge(whole *trace.Trace) *verdict.Report {
	return linearize.Check(context.Background(), whole, linearize.Options{})
}

// named returns the events of a function in a phase.
func named(whole *trace.Trace, fn string, phase trace.Phase) (found []*trace.Event) {
	for i := range whole.Events {
		if e := &whole.Events[i]; e.Fn == fn && e.Ph == phase {
			found = append(found, e)
		}
	}
	return found
}
