package tlc

import (
	"strings"
	"testing"
)

// Equal values have one form, however TLC breaks the lines and orders what has no order.
func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		`1`:                              `1`,
		` -7 `:                           `-7`,
		`"no token"`:                     `"no token"`,
		`"a\"} >>, b"`:                   `"a\"} >>, b"`,
		`<< >>`:                          `<<>>`,
		`<<1,  "a", <<TRUE>>>>`:          `<<1, "a", <<TRUE>>>>`,
		`{3, 1, 2, 1}`:                   `{1, 2, 3}`,
		`{}`:                             `{}`,
		`1..3`:                           `{1, 2, 3}`,
		`[b |-> 1, a |-> {2, 1}]`:        `[a |-> {1, 2}, b |-> 1]`,
		"[ b |->\n   <<>>,\n  a |-> 1 ]": `[a |-> 1, b |-> <<>>]`,
		`(2 :> "b" @@ 1 :> "a")`:         `(1 :> "a" @@ 2 :> "b")`,
		`{[x |-> 2, a |-> 1], [a |-> 1, x |-> 1]}`: `{[a |-> 1, x |-> 1], [a |-> 1, x |-> 2]}`,
		`{"b", "a"}`: `{"a", "b"}`,
	} {
		got, err := Canonical(text)
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
		if again, err := Canonical(got); again != got || err != nil {
			t.Errorf("%s is %s the second time, %v", got, again, err)
		}
	}
}

// What is no value is refused, and the error shows where.
func TestCanonicalErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:               "a value is missing",
		`<<1, `:          "a value is missing",
		`<<1 2>>`:        `, is missing at "2>>"`,
		`[a -> 1]`:       "|-> is missing",
		`"abc`:           "a string does not end",
		`{1, 2} 3`:       "something follows the value",
		`1..x`:           "an interval without bounds",
		`1..99999999999`: "an interval without bounds",
		`@`:              "a value is missing",
	} {
		if got, err := Canonical(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %s, %v; want %q", text, got, err, want)
		}
	}
}
