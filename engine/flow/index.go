package flow

import (
	"cmp"
	"slices"
)

// portKey is one port of one agent.
type portKey struct{ from, port string }

// index holds the look-ups of a flow. With equal ids (a flow with errors) the first agent wins.
type index struct {
	byID    map[string]int       // agent id → index in Flow.Agents
	order   []int                // indices into Flow.Agents by id
	targets map[portKey][]string // in the order of the edges
	ports   map[string][]string  // agent id → its wired ports, sorted
}

// newIndex builds the look-ups. Agents whose id could not be read ("") are left out.
func newIndex(agents []Agent, edges []Edge) index {
	x := index{
		byID:    make(map[string]int, len(agents)),
		order:   make([]int, 0, len(agents)),
		targets: make(map[portKey][]string, len(edges)),
		ports:   make(map[string][]string),
	}
	for i := range agents {
		id := agents[i].ID
		if _, twice := x.byID[id]; id == "" || twice {
			continue
		}
		x.byID[id] = i
		x.order = append(x.order, i)
	}
	// Go compares strings by bytes, which for UTF-8 is the order the seed's hash needs.
	slices.SortFunc(x.order, func(a, b int) int { return cmp.Compare(agents[a].ID, agents[b].ID) })
	for _, e := range edges {
		k := portKey{e.From, e.Port}
		if x.targets[k] == nil {
			x.ports[e.From] = append(x.ports[e.From], e.Port)
		}
		x.targets[k] = append(x.targets[k], e.To)
	}
	for _, list := range x.ports {
		slices.Sort(list)
	}
	return x
}
