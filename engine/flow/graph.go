package flow

import "slices"

// successors lists, for every agent by index, whom its edges lead to, in the order of the edges.
func (x *index) successors(edges []Edge) [][]int {
	next := make([][]int, len(x.byID))
	for _, e := range edges {
		from := x.byID[e.From]
		next[from] = append(next[from], x.byID[e.To])
	}
	return next
}

// components numbers the strongly connected components of a graph (Tarjan, without recursion so that a chain of 100 000
// agents is no deep stack): two nodes have one number iff each can reach the other.
func components(next [][]int) []int {
	const unseen = -1
	order := make([]int, len(next)) // when a node was first seen
	low := make([]int, len(next))
	group := make([]int, len(next))
	for i := range next {
		order[i], group[i] = unseen, unseen
	}
	type frame struct{ node, edge int }
	var (
		stack       []int // nodes without a group yet, in the order they were seen
		work        []frame
		seen, count int
	)
	for root := range next {
		if order[root] != unseen {
			continue
		}
		work = append(work, frame{root, 0})
		for len(work) > 0 {
			f := &work[len(work)-1]
			v := f.node
			if f.edge == 0 && order[v] == unseen {
				order[v], low[v] = seen, seen
				seen++
				stack = append(stack, v)
			}
			if f.edge < len(next[v]) {
				w := next[v][f.edge]
				f.edge++
				if order[w] == unseen {
					work = append(work, frame{w, 0})
				} else if group[w] == unseen {
					low[v] = min(low[v], order[w])
				}
				continue
			}
			work = work[:len(work)-1]
			if len(work) > 0 {
				parent := work[len(work)-1].node
				low[parent] = min(low[parent], low[v])
			}
			if low[v] == order[v] {
				for {
					w := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					group[w] = count
					if w == v {
						break
					}
				}
				count++
			}
		}
	}
	return group
}

// shortestPath lists the nodes from one to another in the same component, both included. It stays inside the component, so
// that asking once for each of them costs no more than the graph has edges.
func shortestPath(next [][]int, group []int, from, to int) []int {
	before := map[int]int{from: from}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if v == to {
			break
		}
		for _, w := range next[v] {
			if _, ok := before[w]; !ok && group[w] == group[from] {
				before[w] = v
				queue = append(queue, w)
			}
		}
	}
	path := []int{to}
	for v := to; v != from; {
		v = before[v]
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}
