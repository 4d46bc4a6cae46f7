package design

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"flowdbg/contract"
)

// Verdict of one claim against the recount.
type Verdict string

const (
	VerdictEqual       Verdict = "equal"
	VerdictDiffers     Verdict = "differs"
	VerdictNotClaimed  Verdict = "not claimed"
	VerdictNotMeasured Verdict = "not measured" // claimed, but the two snapshots do not tell
	VerdictUnusable    Verdict = "unusable"     // claimed, but the number cannot be a measurement
)

// Quantities that can be claimed and recounted. Lengths are in µm, or tiles for nextpnr.
const (
	QPlaced       = "placed_cells"
	QUnplaced     = "unplaced_cells"
	QMoved        = "moved_cells"
	QResized      = "resized_cells"
	QRenamed      = "renamed_cells"
	QAdded        = "added_cells"
	QRemoved      = "removed_cells"
	QNetsAdded    = "added_nets"
	QNetsRemoved  = "removed_nets"
	QNetsChanged  = "reconnected_nets"
	QCellsAll     = "cells_affected"
	QNetsAll      = "nets_affected"
	QCellsBefore  = "cells_before"
	QCellsAfter   = "cells_after"
	QNetsBefore   = "nets_before"
	QNetsAfter    = "nets_after"
	QFixedAfter   = "fixed_after"
	QHPWLBefore   = "hpwl_before"
	QHPWL         = "hpwl"     // of the snapshot after
	QHPWLDBU      = "hpwl_dbu" // the same in database units
	QMaxDisp      = "max_displacement"
	QSumDisp      = "sum_displacement"
	QMeanDisp     = "mean_displacement"
	QArea         = "area_delta" // µm²
	QParent       = "parent_snap"
	qMovementDBU  = "max_displacement_dbu"
	qTotalMoveDBU = "sum_displacement_dbu"
)

// Claim is what one source says: numbers by quantity, and lists of cells and nets if it gives them.
type Claim struct {
	Source string // "expected_delta", a file's name, …
	Values []ClaimedValue
	Delta  *contract.DesignDelta
	Parent contract.SnapshotRef // the snapshot that a proposal was made for; "" = not stated
	lists  map[string]bool      // members of Delta that the source really has
}

// ClaimedValue is one number as its source spells it.
type ClaimedValue struct {
	Quantity string
	Text     string // spelling; its decimals say how exact the claim is
	From     string // the line or member it was read from
}

// ClaimLine is one claim beside the recount.
type ClaimLine struct {
	Quantity string   `json:"quantity"`
	Source   string   `json:"source"`
	Claimed  *float64 `json:"claimed,omitempty"`
	Measured *float64 `json:"measured,omitempty"`
	Verdict  Verdict  `json:"verdict"`
	From     string   `json:"from,omitempty"`
	Note     string   `json:"note,omitempty"`
}

// ParseClaim reads "quantity=number".
func ParseClaim(s string) (ClaimedValue, error) {
	q, text, ok := strings.Cut(s, "=")
	if !ok || !knownQuantity(q) {
		return ClaimedValue{}, fmt.Errorf("claim %q; want QUANTITY=NUMBER with a quantity of %s", s, strings.Join(Quantities(), ", "))
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return ClaimedValue{}, fmt.Errorf("claim %q: %q is not a number", s, text)
	}
	return ClaimedValue{Quantity: q, Text: text, From: s}, nil
}

// Quantities are the names that ParseClaim takes, in the order of reports.
func Quantities() []string {
	return []string{
		QPlaced, QUnplaced, QMoved, QResized, QRenamed, QAdded, QRemoved, QNetsAdded, QNetsRemoved, QNetsChanged, QCellsAll, QNetsAll,
		QCellsBefore, QCellsAfter, QNetsBefore, QNetsAfter, QFixedAfter, QHPWLBefore, QHPWL, QHPWLDBU, QMaxDisp, QSumDisp, QMeanDisp, QArea,
	}
}

func knownQuantity(q string) bool {
	for _, k := range Quantities() {
		if q == k {
			return true
		}
	}
	return false
}

// measured is the recount of a quantity; false when it was not measured.
func (a *Answer) measured(q string) (float64, bool) {
	n := &a.Counts
	switch q {
	case QPlaced:
		return float64(n.Placed), true
	case QUnplaced:
		return float64(n.Unplaced), true
	case QMoved:
		return float64(n.Moved), true
	case QResized:
		return float64(n.Resized), true
	case QRenamed:
		return float64(n.Renamed), true
	case QAdded:
		return float64(n.Added), true
	case QRemoved:
		return float64(n.Removed), true
	case QNetsAdded:
		return float64(n.NetsAdded), true
	case QNetsRemoved:
		return float64(n.NetsRemoved), true
	case QNetsChanged:
		return float64(n.NetsReconnected), true
	case QCellsAll:
		return float64(a.Delta.Summary.CellsAffected), true
	case QNetsAll:
		return float64(a.Delta.Summary.NetsAffected), true
	case QArea:
		return known(a.Delta.Summary.AreaDelta)
	}
	return a.measuredSize(q)
}

func known(v *float64) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return *v, true
}

func (a *Answer) measuredSize(q string) (float64, bool) {
	switch q {
	case QCellsBefore:
		return float64(a.Before.Stats.Cells), true
	case QCellsAfter:
		return float64(a.After.Stats.Cells), true
	case QNetsBefore:
		return float64(a.Before.Stats.Nets), true
	case QNetsAfter:
		return float64(a.After.Stats.Nets), true
	case QFixedAfter:
		return float64(a.After.Stats.FixedCells), true
	case QHPWLBefore:
		return known(a.HPWL.Before.Value)
	case QHPWL:
		return known(a.HPWL.After.Value)
	case QHPWLDBU:
		return known(a.HPWL.After.DBU)
	case QMaxDisp:
		return a.Displacement.Max, true
	case QSumDisp:
		return a.Displacement.Sum, true
	case QMeanDisp:
		return a.Displacement.Mean, true
	case qMovementDBU:
		return a.Displacement.Max * a.unit, true
	case qTotalMoveDBU:
		return a.Displacement.Sum * a.unit, true
	}
	return 0, false
}

// Compare puts every claim beside the recount. For each source there is a line for each quantity that it claims, and one
// "not claimed" for each count that is not 0 and that it does not mention.
func (a *Answer) Compare(claims []Claim) []ClaimLine {
	var lines []ClaimLine
	for i := range claims {
		lines = append(lines, a.compare(&claims[i])...)
	}
	return lines
}

func (a *Answer) compare(c *Claim) []ClaimLine {
	var lines []ClaimLine
	said := map[string]bool{}
	add := func(l ClaimLine) {
		l.Source = c.Source
		said[l.Quantity] = true
		lines = append(lines, l)
	}
	if c.Parent != "" {
		add(a.compareParent(c.Parent))
	}
	if c.Delta != nil {
		for _, l := range a.compareLists(c) {
			add(l)
		}
	}
	for _, v := range c.Values {
		add(a.compareValue(v))
	}
	for _, q := range Quantities()[:10] {
		if m, _ := a.measured(q); m != 0 && !said[q] {
			add(ClaimLine{Quantity: q, Measured: &m, Verdict: VerdictNotClaimed})
		}
	}
	return lines
}

// compareParent is undecided for a branch name, which only its session can resolve.
func (a *Answer) compareParent(parent contract.SnapshotRef) ClaimLine {
	l := ClaimLine{Quantity: QParent, Verdict: VerdictEqual, Note: string(parent)}
	switch {
	case parent == a.Before.Snapshot:
	case strings.HasPrefix(string(parent), "sha256:"):
		l.Verdict = VerdictDiffers
		l.Note = fmt.Sprintf("made for %s, compared with %s", parent, a.Before.Snapshot)
	default:
		l.Verdict = VerdictNotMeasured
		l.Note = fmt.Sprintf("made for the branch %q, which is not resolved here", parent)
	}
	return l
}

func (a *Answer) compareValue(v ClaimedValue) ClaimLine {
	claimed, err := strconv.ParseFloat(v.Text, 64)
	l := ClaimLine{Quantity: publicQuantity(v.Quantity), From: v.From}
	if why := unusable(claimed, err); why != "" {
		l.Verdict, l.Note = VerdictUnusable, fmt.Sprintf("%s: %s", v.Text, why)
		return l
	}
	m, ok := a.measured(v.Quantity)
	if l.Quantity != v.Quantity { // given in database units
		claimed /= a.unit
		m /= a.unit
	}
	l.Claimed = &claimed
	if !ok {
		l.Verdict = VerdictNotMeasured
		return l
	}
	l.Measured = &m
	tolerance := halfUnit(v.Text)
	if l.Quantity != v.Quantity {
		tolerance /= a.unit
	}
	switch {
	case math.Abs(m-claimed) <= tolerance:
		l.Verdict = VerdictEqual
	case strings.HasPrefix(v.Quantity, QHPWL) && a.HPWL.After.Points == PointsOrigin:
		l.Verdict = VerdictNotMeasured
		l.Note = "the recount is between cell origins; give --lef for the tool's pin places"
	default:
		l.Verdict = VerdictDiffers
	}
	return l
}

// publicQuantity is the quantity that a spelling in database units stands for.
func publicQuantity(q string) string {
	switch q {
	case qMovementDBU:
		return QMaxDisp
	case qTotalMoveDBU:
		return QSumDisp
	case QHPWLDBU:
		return QHPWL
	}
	return q
}

// unusable says why a number cannot be a measurement, or "".
func unusable(v float64, err error) string {
	abs := math.Abs(v)
	switch {
	case err != nil && (math.IsInf(v, 0) || v == 0):
		return "not a number that can be held"
	case err != nil:
		return "not a number"
	case math.IsNaN(v), math.IsInf(v, 0):
		return "not finite"
	case abs > 0 && abs < 0x1p-1022:
		return "denormal: memory that was never written"
	case abs >= 9e99:
		return "a sentinel, not a measurement"
	}
	return ""
}

// halfUnit is half of the last decimal place of a spelling: a claim of 58.5 is right for anything that rounds to it. A whole
// number claims a count, or a length rounded to whole units.
func halfUnit(text string) float64 {
	mantissa, exp, _ := strings.Cut(strings.ToLower(text), "e")
	e, _ := strconv.Atoi(exp)
	if _, frac, ok := strings.Cut(mantissa, "."); ok {
		e -= len(frac)
	}
	return 0.5*math.Pow(10, float64(e)) + 1e-9
}

// AnyDiffers says that at least one claim does not hold.
func AnyDiffers(lines []ClaimLine) bool {
	for _, l := range lines {
		if l.Verdict == VerdictDiffers || l.Verdict == VerdictUnusable {
			return true
		}
	}
	return false
}
