package calls

import (
	"fmt"
	"slices"
	"testing"
)

// Calls are found by their ops however many are under way, and listed in the order in which they began.
func TestOpen(t *testing.T) {
	var open Open[int]
	const n = 3 * maxNewest
	var want []*int
	for i := range n {
		call := &i
		open.Begin(fmt.Sprint(i), call)
		want = append(want, call)
	}
	for _, i := range []int{n - 1, 0, maxNewest, n - maxNewest, 7} {
		op := fmt.Sprint(i)
		if got := open.Find(op); got == nil || *got != i {
			t.Errorf("the call of op %d is not found", i)
		}
		if got := open.End(op); got == nil || *got != i || open.Find(op) != nil || open.End(op) != nil {
			t.Errorf("the call of op %d does not end once", i)
		}
		want = slices.DeleteFunc(want, func(call *int) bool { return *call == i })
	}
	if !slices.Equal(open.All(), want) {
		t.Errorf("%d calls are under way in another order than they began, or other ones", len(want))
	}
}
