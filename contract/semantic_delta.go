package contract

import (
	"math"
	"strconv"

	"flowdbg/trace/canon"
)

// cellLists are the members of a DesignDelta that list cells, with the member that names the cell.
var cellLists = []struct{ list, id string }{
	{"moved_cells", "cell_id"}, {"resized_cells", "cell_id"}, {"placed_cells", "cell_id"}, {"unplaced_cells", "cell_id"},
	{"added_cells", "cell_id"}, {"removed_cells", "cell_id"}, {"renamed_cells", "to_id"},
}

func checkDesignDelta(c *checker, v canon.Value, ptr string) {
	if v.Kind() != canon.KindObject {
		return
	}
	summary := v.Get("summary")
	cells, countable := map[string]bool{}, true
	for _, l := range cellLists {
		countable = c.distinct(v, ptr, l.list, l.id, cells) && countable
	}
	if countable {
		c.recount(summary, ptr, "cells_affected", len(cells), "cells")
	}
	nets := map[string]bool{}
	if c.distinct(v, ptr, "new_nets", "net_id", nets) {
		c.recount(summary, ptr, "nets_affected", len(nets), "nets")
	}

	unmeasured := map[string]bool{}
	for i, e := range list(v, "not_measured") {
		name, _ := e.Str()
		unmeasured[name] = true
		if value := v.Get(name); value.Kind() == canon.KindArray && value.Count() > 0 {
			c.fail(ptr+"/not_measured/"+strconv.Itoa(i), RuleNotMeasured, "says that %s was not measured, but it holds %d entries", name, value.Count())
		}
	}
	c.area(v, summary, ptr, unmeasured[NotMeasuredArea])
}

// distinct adds the names in a list to the set; a name twice in one list is an error. false: the list cannot be counted,
// because it is none or holds something without a name (the schema tells that).
func (c *checker) distinct(v canon.Value, ptr, member, id string, into map[string]bool) bool {
	here, countable := map[string]bool{}, isList(v, member)
	for i, e := range list(v, member) {
		name := text(e, id)
		if name == "" {
			countable = false
			continue
		}
		if here[name] {
			c.fail(ptr+"/"+member+"/"+strconv.Itoa(i)+"/"+id, RuleConsistency, "%q is listed twice", name)
		}
		here[name], into[name] = true, true
	}
	return countable
}

// isList says that a member is an array, or one of the optional lists and absent.
func isList(v canon.Value, member string) bool {
	switch value := v.Get(member); {
	case value.IsAbsent():
		return member != "moved_cells" && member != "resized_cells" && member != "new_nets"
	default:
		return value.Kind() == canon.KindArray
	}
}

func (c *checker) recount(summary canon.Value, ptr, member string, want int, what string) {
	if got, ok := num(summary, member); ok && got != float64(want) {
		c.fail(ptr+"/summary/"+member, RuleRecount, "is %s, but the lists hold %d distinct %s", number(got), want, what)
	}
}

// area holds summary.area_delta against the lists, when every resized, added and removed cell states its area.
func (c *checker) area(v, summary canon.Value, ptr string, unmeasured bool) {
	if summary.Kind() != canon.KindObject {
		return
	}
	at := ptr + "/summary/area_delta"
	stated := summary.Get("area_delta")
	switch {
	case stated.IsAbsent() && !unmeasured:
		c.fail(at, "required", "is missing, and not_measured does not list %q", NotMeasuredArea)
		return
	case !stated.IsAbsent() && unmeasured:
		c.fail(at, RuleNotMeasured, "is given although not_measured lists %q", NotMeasuredArea)
		return
	}
	got, ok := stated.Float()
	if !ok {
		return
	}
	sum, total := 0.0, 0.0
	for _, l := range []struct {
		list, member string
		sign         float64
	}{{"resized_cells", "area_delta", 1}, {"added_cells", "area", 1}, {"removed_cells", "area", -1}} {
		if !isList(v, l.list) {
			return
		}
		for _, e := range list(v, l.list) {
			area, ok := num(e, l.member)
			if !ok || area < 0 && l.member == "area" {
				return
			}
			sum += l.sign * area
			total += math.Abs(area)
		}
	}
	if math.Abs(got-sum) > 1e-6*math.Max(1, total) {
		c.fail(at, RuleRecount, "is %s µm², but the lists add up to %s µm²", number(got), number(sum))
	}
}

func checkCellMove(c *checker, v canon.Value, ptr string) {
	if v.Kind() == canon.KindObject && !v.Get("to").IsAbsent() && v.Get("to") == v.Get("from") {
		c.warn(ptr+"/to", RuleConsistency, "is the same place as from: nothing moved")
	}
}

func checkNetChange(c *checker, v canon.Value, ptr string) {
	added, removed := len(list(v, "pins_added")), len(list(v, "pins_removed"))
	switch kind := text(v, "kind"); {
	case kind == NetAdded && removed > 0:
		c.fail(ptr+"/pins_removed", RuleConsistency, "an added net has no pins to remove")
	case kind == NetRemoved && added > 0:
		c.fail(ptr+"/pins_added", RuleConsistency, "a removed net gets no pins")
	case kind == NetReconnected && added+removed == 0:
		c.warn(ptr+"/kind", RuleConsistency, "is reconnected, but no pin is listed")
	}
}

func checkTimingDelta(c *checker, v canon.Value, ptr string) {
	if v.Kind() != canon.KindObject {
		return
	}
	for _, m := range []string{"wns", "tns"} {
		before, ok1 := num(v.Get("before"), m)
		after, ok2 := num(v.Get("after"), m)
		delta, ok3 := num(v.Get("delta"), m)
		if ok1 && ok2 && ok3 && math.Abs(delta-(after-before)) > 1e-6+1e-9*math.Max(math.Abs(before), math.Abs(after)) {
			c.fail(ptr+"/delta/"+m, RuleDifference, "is %s, but after − before is %s", number(delta), number(after-before))
		}
	}
}
