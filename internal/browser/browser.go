// Package browser opens a web page in headless Chromium for a test, and measures what a person would object to.
package browser

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"
	"time"

	"ndkoracle/internal/process"
)

// Sight is what was seen of a page at one width.
type Sight struct {
	Milliseconds float64  // from the request to the first picture
	Beyond       []string // what is wider than the window
	Cut          []string // text that is not shown to its end
	Overlaps     []string // text over the lanes, or over the row below
	Faint        []string // text with a contrast below 4.5 to its background, light and dark
	DeadLinks    []string // that lead nowhere in the page
	Requests     []string // of anything but the page
	Errors       []string // of its script
	Text         string   // that is visible
	Classes      map[string]int
	Sticks       bool   // the head of the lanes is at the top of the window after scrolling
	NextFinding  string // the text of the row at which the key n arrives
	NextRow      string // and of that behind it, by the key j
	Threads      string // the heads of the lanes behind the key t
	Unfolded     int    // folds that are open behind the key f
	Folds        int
}

//go:embed look.html
var look []byte

// Objections returns what a person would object to, whatever the page is about.
func (s *Sight) Objections() (all []string) {
	for _, o := range []struct {
		what  string
		found []string
	}{{"beyond the window", s.Beyond}, {"cut", s.Cut}, {"over another", s.Overlaps}, {"too faint", s.Faint}, {"links to nowhere", s.DeadLinks},
		{"asked of others", s.Requests}, {"errors", s.Errors}} {
		if len(o.found) > 0 {
			all = append(all, fmt.Sprintf("%s: %q", o.what, o.found))
		}
	}
	if !s.Sticks {
		all = append(all, "the head of the lanes does not stick")
	}
	if s.Unfolded != s.Folds {
		all = append(all, fmt.Sprintf("behind the key f %d of %d folds are open", s.Unfolded, s.Folds))
	}
	return all
}

// timeToOpen bounds a page and its measures: a machine may be busy.
const timeToOpen = 2 * time.Minute

// Find returns the program of Chromium. A test that needs it fails without it.
func Find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("chromium is not installed; make install, or make test, installs it")
	return ""
}

// Look opens a page in a window of some width, in pixels.
func Look(t *testing.T, page []byte, width int) *Sight {
	t.Helper()
	seen := make(chan *Sight, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // a browser that has gone is told below
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(bytes.ReplaceAll(look, []byte("WIDTH"), fmt.Append(nil, width)))
	})
	mux.HandleFunc("POST /seen", func(_ http.ResponseWriter, r *http.Request) {
		s := &Sight{}
		if err := json.NewDecoder(r.Body).Decode(s); err != nil {
			s.Errors = append(s.Errors, err.Error())
		}
		seen <- s
	})
	return visit(t, mux, seen)
}

// visit opens the root of a server in Chromium, and waits for what the page sees.
func visit[T any](t *testing.T, mux *http.ServeMux, seen <-chan T) (none T) {
	t.Helper()
	program := Find(t)
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), timeToOpen)
	defer cancel()
	// The sandbox needs rights that a container may lack; the page is the project's own. Chromium asks no host but the test's.
	c := process.Command(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--remote-debugging-port=0", "--user-data-dir="+t.TempDir(), "--window-size=1500,1000", server.URL)
	var said bytes.Buffer
	c.Stderr, c.WaitDelay = &said, 5*time.Second
	if err := process.Start(c); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case s := <-seen:
		cancel()
		<-ended
		return s
	case err := <-ended:
		t.Fatalf("chromium ended before it had seen the page: %v\n%s", err, said.Bytes())
	}
	return none
}
