package browser

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"testing"
)

// Drawn is what became of the diagrams of a page.
type Drawn struct {
	Diagrams []Diagram
	Misread  []string // diagrams that Mermaid can't read, each with what it says of them
	Requests []string // of any other host
	Errors   []string // of the page
}

// A Diagram is one as the reader sees it.
type Diagram struct {
	Kind          string // such as "sequence"; "error" is Mermaid's own
	Width, Height float64
	Text          string
}

//go:embed drawn.html
var drawn []byte

// opened lets a test look into what Material for MkDocs closes.
const opened = `<head><script>
	const attach = Element.prototype.attachShadow
	Element.prototype.attachShadow = function (how) { return attach.call(this, {...how, mode: "open"}) }
</script>`

// Draw opens a page of a site, waits until its diagrams are drawn, and has Mermaid read others as well.
func Draw(t *testing.T, site fs.FS, page string, width int, others []string) *Drawn {
	t.Helper()
	setting, err := json.Marshal(map[string]any{"page": "/site/" + page, "width": width, "others": others})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan *Drawn, 1)
	mux := http.NewServeMux()
	files := http.StripPrefix("/site/", http.FileServerFS(site))
	mux.HandleFunc("GET /site/", func(w http.ResponseWriter, r *http.Request) {
		name := path.Clean(r.URL.Path[len("/site/"):])
		text, err := fs.ReadFile(site, name)
		if err != nil || path.Ext(name) != ".html" {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(bytes.Replace(text, []byte("<head>"), []byte(opened), 1)) // a browser that has gone is told in visit
	})
	mux.HandleFunc("GET /setting", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(setting) })
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(drawn)
	})
	mux.HandleFunc("POST /seen", func(_ http.ResponseWriter, r *http.Request) {
		d := &Drawn{}
		if err := json.NewDecoder(r.Body).Decode(d); err != nil {
			d.Errors = append(d.Errors, err.Error())
		}
		seen <- d
	})
	return visit(t, mux, seen)
}
