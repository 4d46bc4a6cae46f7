package design

import (
	"strings"
	"testing"

	"flowdbg/contract"
)

// measured is a delta with two resizes, of which one cell also moved.
func measuredPair(t *testing.T) *Answer {
	t.Helper()
	before := twoCellDEF("INV", "N")
	after := strings.Replace(twoCellDEF("BUF", "N"), "- a INV + PLACED ( 0 0 )", "- a BUF + PLACED ( 300 400 )", 1)
	a, err := Delta(parse(t, before), parse(t, after), Rule{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestClaims(t *testing.T) {
	a := measuredPair(t)
	for _, c := range []struct {
		name, text, quantity string
		want                 Verdict
		note                 string
	}{
		{"proposal as measured", `{"expected_delta":{"resized_cells":[{"cell_id":"a","from_master":"INV","to_master":"BUF"},
			{"cell_id":"b","from_master":"INV","to_master":"BUF"}]},"parent_snap":"main"}`, QResized, VerdictEqual, ""},
		{"branches are not resolved", `{"expected_delta":{"resized_cells":[]},"parent_snap":"main"}`, QParent, VerdictNotMeasured, "main"},
		{"made for another snapshot", `{"expected_delta":{"resized_cells":[]},"parent_snap":"sha256:` + strings.Repeat("0", 64) + `"}`, QParent, VerdictDiffers, "made for"},
		{"equal numbers, other cells", `{"resized_cells":[{"cell_id":"a","to_master":"BUF"},{"cell_id":"x","to_master":"BUF"}]}`, QResized, VerdictDiffers,
			"1 claimed but did not happen (x), 1 happened unclaimed (b)"},
		{"other master", `{"resized_cells":[{"cell_id":"a","to_master":"DFF"},{"cell_id":"b","to_master":"BUF"}]}`, QResized, VerdictDiffers, "1 happened otherwise (a)"},
		{"moved as claimed", `{"moved_cells":[{"cell_id":"a","from":{"x":0,"y":0},"to":{"x":300,"y":400}}]}`, QMoved, VerdictEqual, ""},
		{"moved elsewhere", `{"moved_cells":[{"cell_id":"a","from":{"x":0,"y":0},"to":{"x":300,"y":401}}]}`, QMoved, VerdictDiffers, "happened otherwise"},
		{"an absent list is not claimed", `{"moved_cells":[]}`, QResized, VerdictNotClaimed, ""},
		{"an empty list is a claim", `{"moved_cells":[]}`, QMoved, VerdictDiffers, "happened unclaimed"},
		{"not measured by the claimer", `{"moved_cells":[],"resized_cells":[],"not_measured":["moved_cells"]}`, QMoved, VerdictNotClaimed, ""},
		{"summary", `{"moved_cells":[],"summary":{"cells_affected":2,"nets_affected":1,"area_delta":4}}`, QCellsAll, VerdictEqual, ""},
		{"summary of nets", `{"moved_cells":[],"summary":{"cells_affected":2,"nets_affected":1,"area_delta":4}}`, QNetsAll, VerdictDiffers, ""},
		{"area without areas", `{"moved_cells":[],"summary":{"cells_affected":2,"nets_affected":1,"area_delta":4}}`, QArea, VerdictNotMeasured, ""},
		{"timing", `{"timing_changes":[{}],"moved_cells":[]}`, "timing_changes", VerdictNotMeasured, ""},
		{"a tool result", `{"value":{"resized_cells":[]},"elapsed_ms":1}`, QResized, VerdictDiffers, ""},
		{"numbers", `{"resized_cells":2}`, QResized, VerdictEqual, ""},
		{"rounded length", `{"max_displacement":0.7}`, QMaxDisp, VerdictEqual, ""},
		{"wrong length", `{"max_displacement":0.6}`, QMaxDisp, VerdictDiffers, ""},
		{"origin HPWL may differ", `{"hpwl":11.5}`, QHPWL, VerdictNotMeasured, "--lef"},
		{"a denormal", `{"place":{"HPWL":1.8e-316}}`, QHPWL, VerdictUnusable, "denormal"},
		{"a sentinel", `{"max_displacement":9e99}`, QMaxDisp, VerdictUnusable, "sentinel"},
		{"iEDA in database units", `{"legalization":{"max_movement":700,"total_movement":700}}`, QSumDisp, VerdictEqual, ""},
		{"a log adds up", "[INFO RSZ-0028] Inserted 18 BUF_X1 output buffers.\n[INFO RSZ-0032] Inserted 84 hold buffers.\n", QAdded, VerdictDiffers, ""},
		{"a log begins with sizes", "[INFO ODB-0131]     Created 2 components and 3 component-terminals.\n[INFO ODB-0131]     Created 9 components.\n", QCellsBefore, VerdictEqual, ""},
		{"legalizer", "total displacement          0.7 u\n", QSumDisp, VerdictEqual, ""},
		{"nextpnr's last word", "Info: wirelen = 99\nInfo:   at iteration #5: wirelen = 10\n", QHPWL, VerdictEqual, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			claim, err := ReadClaims("x", strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			lines := a.Compare([]Claim{claim})
			for _, l := range lines {
				if l.Quantity != c.quantity {
					continue
				}
				if l.Verdict != c.want || !strings.Contains(l.Note, c.note) {
					t.Errorf("%+v, want %s, note %q", l, c.want, c.note)
				}
				bad := c.want == VerdictDiffers || c.want == VerdictUnusable
				if bad && !AnyDiffers(lines) {
					t.Error("AnyDiffers does not see it")
				}
				return
			}
			t.Errorf("no line for %s in %+v", c.quantity, lines)
		})
	}
}

func TestClaimErrors(t *testing.T) {
	for text, want := range map[string]string{
		"nothing here":         "no claim in this log",
		`{"a":{"b":1}}`:        "no claim in this JSON",
		`{"moved_cells":[}`:    "1:17",
		`{"moved_cells":[1]}`:  "the claimed delta",
		`{"a":1,"a":2}`:        "a",
		`{"moved_cells":[]} x`: "1:20",
	} {
		if _, err := ReadClaims("x", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{"hpwl": "want QUANTITY=NUMBER", "luck=3": "want QUANTITY=NUMBER", "hpwl=x": `"x" is not a number`} {
		if _, err := ParseClaim(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestHalfUnit(t *testing.T) {
	for text, want := range map[string]float64{"58.5": 0.05, "628": 0.5, "1.20": 0.005, "1e3": 500, "2.5e2": 5} {
		if got := halfUnit(text); got < want || got > want*1.0001+1e-8 {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestAlarms(t *testing.T) {
	hash := func(c string) string { return "sha256:" + strings.Repeat(c, 64) }
	base := Run{Tool: "iPL.place", Version: "1.2.0", InputSnap: contract.SnapshotRef(hash("0")), ParamsHash: contract.Hash(hash("1")),
		Result: contract.SnapshotRef(hash("2")), Wiring: hash("3")}
	with := func(f func(*Run)) Run { r := base; f(&r); return r }
	for _, c := range []struct {
		name string
		b    Run
		want string
	}{
		{"the same run", base, ""},
		{"a knob without effect", with(func(r *Run) { r.ParamsHash = contract.Hash(hash("9")) }), AlarmKnobWithoutEffect},
		{"other parameters, other routing", with(func(r *Run) { r.ParamsHash, r.Wiring = contract.Hash(hash("9")), hash("8") }), ""},
		{"another result", with(func(r *Run) { r.Result = contract.SnapshotRef(hash("9")) }), AlarmNondeterminism},
		{"another routing", with(func(r *Run) { r.Wiring = hash("9") }), AlarmNondeterminism},
		{"another version", with(func(r *Run) { r.Result, r.Version = contract.SnapshotRef(hash("9")), "1.3.0" }), ""},
		{"another input", with(func(r *Run) { r.Result, r.InputSnap = contract.SnapshotRef(hash("9")), contract.SnapshotRef(hash("8")) }), ""},
		{"another tool", with(func(r *Run) { r.ParamsHash, r.Tool = contract.Hash(hash("9")), "x" }), ""},
		{"parameters not known", with(func(r *Run) { r.ParamsHash, r.Result = "", contract.SnapshotRef(hash("9")) }), ""},
		{"result not known", with(func(r *Run) { r.Result = "" }), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, got := range [][]Alarm{Alarms(base, c.b), Alarms(c.b, base)} {
				code := ""
				if len(got) == 1 {
					code = got[0].Code
				}
				if code != c.want || len(got) > 1 {
					t.Errorf("%+v, want %q", got, c.want)
				}
			}
		})
	}
}
