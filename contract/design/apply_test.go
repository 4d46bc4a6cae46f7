package design

import (
	"strings"
	"testing"
)

// A removed cell's name can belong to another cell afterwards: by driven net u0 becomes u1 here, and the old u1 goes. The
// net that both were on must keep the pin of the cell that has the name now.
func TestApplyWhenANameIsTakenOver(t *testing.T) {
	text := func(cells, nets string) string {
		return "VERSION 5.8 ;\nDESIGN d ;\nUNITS DISTANCE MICRONS 1000 ;\nCOMPONENTS 2 ;\n" + cells + "END COMPONENTS\nNETS 2 ;\n" + nets + "END NETS\nEND DESIGN\n"
	}
	before := text("- u0 INV ;\n- u1 INV ;\n", "- n0 ( u0 A ) ( u1 A ) ;\n- n1 ( u0 Z ) ;\n")
	after := text("- u0 INV ;\n- u1 INV ;\n", "- n0 ( u0 A ) ( u1 A ) ;\n- n1 ( u1 Z ) ;\n")
	var s [2]*Snapshot
	for i, def := range []string{before, after} {
		var err error
		if s[i], err = Read(strings.NewReader(def), Options{}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Delta(s[0], s[1], Rule{Identity: ByDrivenNet})
	if err != nil || len(d.Delta.RenamedCells) != 1 {
		t.Fatalf("%v %+v", err, d.Delta)
	}
	made, err := Apply(s[0], d)
	if err != nil {
		t.Fatal(err)
	}
	if made.Hash() != s[1].Hash() {
		rest, _ := Delta(made, s[1], Rule{})
		t.Fatalf("left over: %+v", rest.Delta.NewNets)
	}
}
