package ruletable

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A Cell of the table is where a rule stands, or says why it does not stand there.
type Cell string

// The cells that need a reason where they are empty. Only a rule that has a definition has a property.
const (
	Definition Cell = "definition" // in tla/
	Property   Cell = "property"   // checked by TLC in a configuration that must hold
	Check      Cell = "check"      // of the judge, in linearize/
	Trace      Cell = "trace"      // in traces/
)

var cells = []Cell{Definition, Property, Check, Trace}

// reasons says of each rule why cells of it are empty.
type reasons map[string]map[Cell]string

const (
	reasonsFile   = "internal/ruletable/reasons.tsv"
	reasonsHeader = "rule\twithout\tbecause"
)

// readReasons reads the reasons. Its errors name file and line.
func readReasons(repository fs.FS) (reasons, error) {
	text, err := fs.ReadFile(repository, reasonsFile)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if lines[0] != reasonsHeader {
		return nil, fmt.Errorf("%s:1: the header is not %q", reasonsFile, reasonsHeader)
	}
	all := reasons{}
	for i, line := range lines[1:] {
		if err := all.add(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", reasonsFile, i+2, err)
		}
	}
	return all, nil
}

// add records the reason that a line gives for one or more cells of a rule.
func (all reasons) add(line string) error {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 || slices.Contains(fields, "") {
		return fmt.Errorf("not a rule, the cells that are empty, and why: %q", line)
	}
	id, without, because := fields[0], strings.Fields(fields[1]), fields[2]
	if all[id] == nil {
		all[id] = map[Cell]string{}
	}
	for _, cell := range without {
		switch c := Cell(cell); {
		case !slices.Contains(cells, c):
			return fmt.Errorf("%q is none of the cells %q", cell, cells)
		case all[id][c] != "":
			return fmt.Errorf("two reasons why %s has no %s", id, cell)
		default:
			all[id][c] = because
		}
	}
	return nil
}

// Complaints says which cells are empty for no reason, and which have a reason and are not.
func Complaints(rows []Row) []string {
	var all []string
	for _, r := range rows {
		for _, cell := range cells {
			switch filled, why := r.has(cell), r.Without[cell]; {
			case filled && why != "":
				all = append(all, fmt.Sprintf("%s has a %s, and a reason why it has none: %s", r.Rule.ID, cell, why))
			case !filled && why == "" && (cell != Property || r.has(Definition)):
				all = append(all, fmt.Sprintf("%s has no %s, and no reason why", r.Rule.ID, cell))
			}
		}
	}
	return all
}
