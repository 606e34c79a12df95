package mc

import (
	"testing"

	"ndkoracle/model"
)

// The merge table, cell by cell: first arm, second arm, what the CQ is armed for (ARM-07).
func TestMergeTable(t *testing.T) {
	c := &model.Contract{Dialect: model.Ndkpi(), Depth: []int{1}}
	for _, row := range joinTable {
		armed := model.State{Cqs: []model.Cq{{Arm: row[0], Waiting: 1}}}
		next, refusal := c.Step(armed, model.Action{Name: model.NdkArmCq, Type: row[1]})
		if refusal != nil || len(next) != 1 || next[0].Cqs[0].Arm != row[2] {
			t.Errorf("%s, then %s: got %+v (%+v), want %s", row[0], row[1], next, refusal, row[2])
		}
	}
}
