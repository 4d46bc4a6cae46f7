package blocks

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func values(l *List[int]) []int {
	out := []int{}
	for i := range l.Len() {
		out = append(out, *l.At(i))
	}
	return out
}

// Any number of lists that were made of each other behave like plain copies of slices.
func TestListsAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists, want := []*List[int]{{}}, [][]int{{}}
		for k := range rapid.IntRange(1, 60).Draw(t, "moves") {
			i := rapid.IntRange(0, len(lists)-1).Draw(t, "list")
			switch rapid.IntRange(0, 3).Draw(t, "move") {
			case 0:
				n := rapid.IntRange(0, len(want[i])).Draw(t, "cut")
				lists[i].Cut(n)
				want[i] = want[i][:n]
			case 1:
				n := rapid.IntRange(0, len(want[i])).Draw(t, "prefix")
				p := lists[i].Prefix(n)
				lists, want = append(lists, &p), append(want, slices.Clone(want[i][:n]))
			default:
				for j := range rapid.IntRange(1, 3*Size).Draw(t, "push") {
					lists[i].Push(1000*k + j)
					want[i] = append(want[i], 1000*k+j)
				}
			}
			for i := range lists {
				if got := values(lists[i]); !slices.Equal(got, want[i]) {
					t.Fatalf("list %d is %v, want %v", i, got, want[i])
				}
			}
		}
	})
}

// A copy costs one allocation for the places of the blocks and one for the last block, whatever the length.
func TestPrefixSharesBlocks(t *testing.T) {
	var l List[[8]int]
	for i := range 100 * Size {
		l.Push([8]int{i})
	}
	if n := testing.AllocsPerRun(10, func() { _ = l.Prefix(100*Size - 1) }); n > 2 {
		t.Fatalf("%v allocations", n)
	}
	first := l.At(0)
	p := l.Prefix(50 * Size)
	if p.At(0) != first {
		t.Fatal("the blocks are not shared")
	}
	l.Cut(10)
	l.Push([8]int{-1})
	if p.At(10)[0] != 10 || l.At(10)[0] != -1 || p.At(0) == l.At(0) {
		t.Fatal("a shared block was written")
	}
}

func TestAtBeyondTheEndPanics(t *testing.T) {
	var l List[int]
	l.Push(1)
	l.Cut(0)
	defer func() {
		if recover() == nil {
			t.Fatal("an element that was cut off was given")
		}
	}()
	l.At(0)
}
