package app

import (
	"strings"
	"testing"

	"flowdbg/ui/tui/keymap"
)

// TestASCIISaysTheSame: no sign is replaced by one that reads as another value.
func TestASCIISaysTheSame(t *testing.T) {
	d := example(t, "explorer", false, look(t, "plain", true), 150, 40).atEnd(viewCandidates)
	v := d.m.faces[viewCandidates].(*candidatesView)
	edge := false
	for _, k := range v.order {
		x := &v.ex.Candidates[k]
		edge = edge || x.Rank != nil && x.Crowding == nil
	}
	if !edge {
		t.Fatal("no candidate stands at the edge of a front")
	}
	d.has("(0) rank 0", "(1)(2) behind it").do(keymap.Zoom).has(" inf ", "0.81")
	d = example(t, "contract-flow", true, look(t, "plain", true), 150, 40).atEnd(viewContract)
	d.has("1 -> 3").hasNot("1 > 3")
	if head, _, _ := strings.Cut(d.plain(), "\n"); !strings.Contains(head, "438b~dd25") {
		t.Errorf("the hash is cut by another sign: %s", head)
	}
}
