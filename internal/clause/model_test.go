package clause

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package model

type Name string

const (
	Place Name = "Place"
	Close Name = "NdkCloseCq"
)

type Refusal struct{ Rule, Why string }

var (
	full   = &Refusal{"ARM-16", "full"}
	closed = &Refusal{"LIFE-06", "closed"}
	none   = &Refusal{"LIFE-07", "none"}
)

type Cq struct{ N, Open int }

type Action struct {
	Name Name
	K    int
}

func Step(q Cq, a Action) (Cq, *Refusal) {
	switch a.Name {
	case Close:
		return q.close()
	}
	return place(q, a.K)
}

func place(q Cq, k int) (Cq, *Refusal) {
	switch {
	case q.Open > 0:
		return q, whyNot(q)
	case q.N >= k:
		return q, full
	}
	q.N++
	return q, nil
}

func (q Cq) close() (Cq, *Refusal) {
	if q.Open > 0 {
		return q, closed
	}
	return Cq{Open: 1}, nil
}

func whyNot(q Cq) *Refusal {
	if q.N == 0 {
		return none
	}
	return closed
}
`

func texts(clauses []Clause) []string {
	var all []string
	for _, c := range clauses {
		all = append(all, c.String())
	}
	return all
}

// What decides an action is in the functions that its case calls; a refusal has the condition under which it is returned, and
// that under which it is chosen.
func TestDecide(t *testing.T) {
	m, err := NewModel(map[string][]byte{"x.go": []byte(source)})
	if err != nil {
		t.Fatal(err)
	}
	place, err := m.Decide("Place")
	if err != nil {
		t.Fatal(err)
	}
	closing, err := m.Decide("NdkCloseCq")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		got, want []string
	}{
		{"any refusal", texts(place.Refusing("")), []string{"model/x.go:35 place: q.Open > 0", "model/x.go:52 whyNot: q.N == 0",
			"model/x.go:55 whyNot: return closed", "model/x.go:37 place: q.N >= k"}},
		{"one that is returned", texts(place.Refusing("ARM-16: full")), []string{"model/x.go:37 place: q.N >= k"}},
		{"one that is chosen", texts(place.Refusing("LIFE-07: none")), []string{"model/x.go:35 place: q.Open > 0", "model/x.go:52 whyNot: q.N == 0"}},
		{"a field that is counted", texts(place.Set("N")), []string{"model/x.go:40 place: q.N++"}},
		{"a field of a struct", texts(closing.Set("Open")), []string{"model/x.go:48 close: return Cq{Open: 1}, nil"}},
		{"a field that a struct leaves out", texts(closing.Set("N")), []string{"model/x.go:48 close: return Cq{Open: 1}, nil"}},
		{"what another action sets", texts(place.Set("Open")), nil},
		{"the functions", texts(closing.Functions()), []string{"model/x.go:25-31 Step", "model/x.go:44-49 close"}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, strings.Join(test.got, "\n"), strings.Join(test.want, "\n"))
		}
	}
	if _, err := m.Decide("Nothing"); err == nil || !strings.Contains(err.Error(), "no action Nothing") {
		t.Errorf("there is no such action, and the error is %v", err)
	}
}

// Each line of the model that an action calls is in a clause, or returns a refusal that has one, or says what stays as it is.
func TestEveryLineIsInAClause(t *testing.T) {
	m, err := ReadModel(filepath.Join("..", "..", "model"))
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	functions := map[Clause]bool{}
	for action := range m.actions {
		d, err := m.Decide(action)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range append(d.All(), d.Refusing("")...) {
			for line := c.From; line <= c.To; line++ {
				covered[fmt.Sprint(c.File, line)] = true
			}
		}
		for _, c := range d.Functions() {
			functions[c] = true
		}
	}
	if len(functions) < 60 {
		t.Errorf("%d functions decide", len(functions))
	}
	for c := range functions {
		lines := strings.Split(string(m.sources[strings.TrimPrefix(c.File, "model/")]), "\n")
		for n := c.From + 1; n < c.To; n++ {
			line, _, _ := strings.Cut(lines[n-1], "//")
			line = strings.TrimSpace(line)
			said := strings.HasPrefix(line, "return ") || strings.HasPrefix(line, "var ") || strings.HasPrefix(line, "switch ") ||
				strings.HasPrefix(line, "panic(") || slices.Contains([]string{"", "}", "})", "default:", "} else {", "continue"}, line)
			if !said && !covered[fmt.Sprint(c.File, n)] && c.In != "Step" && c.In != "stepOne" && c.In != "stepCq" && c.In != "stepQp" {
				t.Errorf("%s:%d is in no clause: %s", c.File, n, line)
			}
		}
	}
}

// A folder without the model's text is told as such, not as one whose model lacks every action.
func TestReadModelWithoutText(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadModel(dir); err == nil || !strings.Contains(err.Error(), dir+": no Go files") {
		t.Errorf("%v", err)
	}
}
