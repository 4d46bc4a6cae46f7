package trace

import (
	"strconv"

	"flowdbg/trace/canon"
)

func itoa(i int) string { return strconv.Itoa(i) }

// FirstDifference finds the first place where two canonical values differ: its pointer and both sides,
// absent where one side has nothing there. ok is false when they are equal.
func FirstDifference(recorded, got canon.Value) (pointer string, r, g canon.Value, ok bool) {
	if recorded == got {
		return "", canon.Value{}, canon.Value{}, false
	}
	return firstDifference("", recorded, got)
}

func firstDifference(ptr string, a, b canon.Value) (string, canon.Value, canon.Value, bool) {
	if a.Kind() == b.Kind() && a.Kind() == canon.KindObject {
		for k, av := range a.Members() {
			if bv := b.Get(k); bv != av {
				return firstDifference(canon.AppendPointer(ptr, k), av, bv)
			}
		}
		for k, bv := range b.Members() {
			if a.Get(k).IsAbsent() {
				return canon.AppendPointer(ptr, k), canon.Value{}, bv, true
			}
		}
	}
	if a.Kind() == b.Kind() && a.Kind() == canon.KindArray {
		an, bn := a.Count(), b.Count()
		i := 0
		for ; i < an && i < bn; i++ {
			if av, bv := a.At(i), b.At(i); av != bv {
				return firstDifference(ptr+"/"+itoa(i), av, bv)
			}
		}
		return ptr + "/" + itoa(i), a.At(i), b.At(i), true
	}
	return ptr, a, b, true
}

// Difference is one place where two values differ.
type Difference struct {
	Pointer       string
	Recorded, Got canon.Value // absent where that side has nothing
}

// Differences lists up to limit places where two values differ, in document order; an array whose length differs is
// compared element by element.
func Differences(recorded, got canon.Value, limit int) []Difference {
	var list []Difference
	collect("", recorded, got, limit, &list)
	return list
}

func collect(ptr string, a, b canon.Value, limit int, list *[]Difference) {
	if a == b || len(*list) >= limit {
		return
	}
	switch {
	case a.Kind() == canon.KindObject && b.Kind() == canon.KindObject:
		for k, av := range a.Members() {
			collect(canon.AppendPointer(ptr, k), av, b.Get(k), limit, list)
		}
		for k, bv := range b.Members() {
			if a.Get(k).IsAbsent() {
				collect(canon.AppendPointer(ptr, k), canon.Value{}, bv, limit, list)
			}
		}
	case a.Kind() == canon.KindArray && b.Kind() == canon.KindArray:
		for i := range max(a.Count(), b.Count()) {
			collect(ptr+"/"+itoa(i), a.At(i), b.At(i), limit, list)
		}
	default:
		*list = append(*list, Difference{ptr, a, b})
	}
}
