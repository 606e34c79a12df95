package graph

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// The explorer of the model and TLC visit the same graph, one after the other, on the same processors: TLC with as many
// workers, -XX:+UseParallelGC and a gigabyte, as it asks for itself. First neither checks anything; then both hold every
// state against the configuration's invariants, and every step against its properties.
//
// TLC's start is not counted: what it takes for a graph of a few states is taken off. The explorer takes so much less time
// that it runs several times, before and after TLC: so what else the machine does meanwhile slows down both. Both must find
// the same number of states. The explorer's memory is what the heap has grown by when all is visited, with everything that
// it remembers.
func BenchmarkExploreBesideTLC(b *testing.B) {
	tla := filepath.Join("..", "..", "tla")
	build := filepath.Join("..", "..", "build", "tlc")
	jar, err := tlc.FindJar(b.Context(), build)
	if err != nil {
		b.Fatal(err)
	}
	processors := runtime.GOMAXPROCS(0)
	runner := tlc.Runner{Jar: jar, Dir: tla, Build: filepath.Join(build, "bench"), Timeout: 15 * time.Minute, Workers: processors}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // TLC has a gigabyte, too, before it must collect
	for _, test := range []struct {
		name   string
		checks bool
		run    func(tlc.Configuration) (tlc.Result, error)
	}{
		{"states", false, func(c tlc.Configuration) (tlc.Result, error) { return runner.Count(b.Context(), c) }},
		{"checks", true, func(c tlc.Configuration) (tlc.Result, error) { return runner.Run(b.Context(), c) }},
	} {
		b.Run(test.name, func(b *testing.B) {
			few, many := tlc.Configuration{Name: "Ndk-places", Module: "MCNdk"}, tlc.Configuration{Name: "Ndk-ndkpi-deep", Module: "MCNdk"}
			machine, err := mc.Read(os.DirFS(tla), many.Module, many.Name)
			if err != nil {
				b.Fatal(err)
			}
			if !test.checks {
				machine.Checked = nil
			}
			for b.Loop() {
				first := explore(b, machine)
				ofFew, err := test.run(few)
				if err != nil {
					b.Fatal(err)
				}
				ofMany, err := test.run(many)
				if err != nil {
					b.Fatal(err)
				}
				second := explore(b, machine)
				if first.states != ofMany.States || second.states != ofMany.States {
					b.Fatalf("the model has %d states, and %d, TLC found %d", first.states, second.states, ofMany.States)
				}
				ofModel := times * float64(first.states+second.states) / (first.took + second.took).Seconds()
				ofTLC := float64(ofMany.States-ofFew.States) / (ofMany.Elapsed - ofFew.Elapsed).Seconds()
				b.ReportMetric(ofModel, "states/s")
				b.ReportMetric(ofTLC, "TLC-states/s")
				b.ReportMetric(ofModel/ofTLC, "times-TLC")
				b.ReportMetric(first.bytes/float64(first.states), "B/state")
			}
		})
	}
}

// times is how often the explorer runs, before TLC and after it.
const times = 5

type explored struct {
	states int
	took   time.Duration // all times together
	bytes  float64
}

func explore(b *testing.B, machine *mc.Machine) explored {
	var sum explored
	for range times {
		before := heap()
		start := time.Now()
		found, err := machine.Explore(runtime.GOMAXPROCS(0))
		if err != nil {
			b.Fatal(err)
		}
		sum.took += time.Since(start)
		sum.bytes = heap() - before
		sum.states = found.States
		runtime.KeepAlive(found)
	}
	return sum
}

// heap returns how many bytes are in use.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
