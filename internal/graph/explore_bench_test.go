package graph

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// The model and TLC visit the same graph, one after the other, on the same processors; neither checks anything. TLC's time is
// that of its whole run: it takes about a second to start, of minutes.
func BenchmarkExploreBesideTLC(b *testing.B) {
	tla := filepath.Join("..", "..", "tla")
	manifest, err := tlc.ReadManifest(tla)
	if err != nil {
		b.Fatal(err)
	}
	build := filepath.Join("..", "..", "build", "tlc")
	jar, err := tlc.FindJar(b.Context(), build)
	if err != nil {
		b.Fatal(err)
	}
	processors := runtime.GOMAXPROCS(0)
	runner := tlc.Runner{Jar: jar, Dir: tla, Build: filepath.Join(build, "bench"), Timeout: 15 * time.Minute, Workers: processors}
	for _, name := range []string{"Ndk-ndkpi-deep", "QP-ndkpi-deep"} {
		b.Run(name, func(b *testing.B) {
			c := manifest[slices.IndexFunc(manifest, func(c tlc.Configuration) bool { return c.Name == name })]
			machine, err := mc.Read(os.DirFS(tla), c.Module, c.Name)
			if err != nil {
				b.Fatal(err)
			}
			machine.Checked = nil
			defer debug.SetGCPercent(debug.SetGCPercent(400)) // TLC has a gigabyte, too, before it must collect
			for b.Loop() {
				start := time.Now()
				found, err := machine.Explore(processors)
				if err != nil {
					b.Fatal(err)
				}
				took := time.Since(start)
				of, err := runner.Count(b.Context(), c)
				if err != nil {
					b.Fatal(err)
				}
				if found.States != c.States || of.States != c.States {
					b.Fatalf("the model has %d states, TLC found %d; pinned are %d", found.States, of.States, c.States)
				}
				ofModel, ofTLC := float64(found.States)/took.Seconds(), float64(of.States)/of.Elapsed.Seconds()
				b.ReportMetric(ofModel, "states/s")
				b.ReportMetric(ofTLC, "TLC-states/s")
				b.ReportMetric(ofModel/ofTLC, "times-TLC")
				b.ReportMetric(float64(found.Bytes)/float64(found.States), "B/state")
			}
		})
	}
}
