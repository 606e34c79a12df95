package clauses

import (
	"testing"
)

// What a CQ with too little room may have lost is not owed (ARM-17, A33), until it is known that nothing was lost: then it is owed again. A CQ that
// reports an internal error may have failed at any time before. What one fact shows is a violation all the same.
func TestWhereACqMayHaveFailed(t *testing.T) {
	const lacked = "room 1; write 1; write 2; get 1 2;"
	for text, want := range map[string]struct{ found, undecided int }{
		"room 1; write 1; write 2; rest; get 1; get":                  {0, 0},
		"room 2; write 1; write 2; rest; get 1; get":                  {1, 0},
		lacked + "write 3; rest; get":                                 {0, 0},
		lacked + "write 3; get 3; write 4; rest; get":                 {1, 0},
		lacked + "write 3; get 3; write 4; write 5; rest; get 4; get": {0, 0},
		"room 1; write 1; write 2; fail overflow; rest; get 1; get":   {0, 0},
		"write 1; write 2; rest; get 1; get":                          {1, 0},
		"write 1; write 2; fail internal; rest; get 1; get":           {0, 0},
		"write 1; write 2; rest; get 1; fail internal; get":           {0, 0},
		"write 1; write 2; rest; get 1; get; fail internal":           {0, 1},
		"write 1; rest; get; close; peer close; fail internal":        {0, 1},
		"write 1; write 2; rest; get 1 2; get 2; fail internal":       {1, 0},
		"write 1; fail internal; write 2; get 2":                      {1, 0},
		"room 1; recv 1; recv 2; peer send 7; peer get 7; rest; get":  {0, 0},
		"room 2; recv 1; recv 2; peer send 7; peer get 7; rest; get":  {1, 0},
	} {
		if e := play(t, "ndkpi", text); len(e.Findings) != want.found || len(e.Undecided) != want.undecided {
			t.Errorf("%s: undecided %v\n%s", text, e.Undecided, said(e))
		}
	}
}
