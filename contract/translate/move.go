package translate

// move carries a value below one base object (the root, or an element reached by the last `*`): both paths share their
// first n segments. The base itself is never pruned.
func (r *run) move(base *node, from, to path, n int) *OpError {
	if from.startsWith(to) {
		return r.unwrap(base, from, to, n)
	}
	if below(base, to.segs[n:]) != nil {
		return r.fault(ReasonTargetExists, to.segs, "")
	}
	chain, fault := r.chain(base, from, n)
	if fault != nil || chain == nil {
		return fault
	}
	parent := chain[len(chain)-1]
	val := parent.get(from.last())
	if fault := r.put(base, to, n, val); fault != nil {
		return fault
	}
	parent.remove(from.last())
	for i := len(chain) - 1; i > 0 && len(chain[i].members) == 0; i-- {
		chain[i-1].remove(from.segs[n+i-1].name)
	}
	return nil
}

// below is the value at a path of names, or nil when anything on the way is missing or no object.
func below(n *node, segs []segment) *node {
	for _, s := range segs {
		if n = n.get(s.name); n == nil {
			return nil
		}
	}
	return n
}

// chain lists the objects from the base to the source's parent; nil when the source is absent or a parent is null.
func (r *run) chain(base *node, from path, n int) ([]*node, *OpError) {
	chain := make([]*node, 0, len(from.segs)-n)
	cur := base
	for i := n; i < len(from.segs); i++ {
		if cur.kind == kindNull {
			return nil, nil
		}
		if cur.kind != kindObject {
			return nil, r.fault(ReasonPathType, from.segs[:i], cur.what()+" where an object is needed")
		}
		chain = append(chain, cur)
		if cur = cur.get(from.segs[i].name); cur == nil {
			return nil, nil
		}
	}
	return chain, nil
}

// put inserts a value at a free place and makes the parents that are missing. A move into an empty object that was there
// before notes its loss: the way back prunes it.
func (r *run) put(base *node, to path, n int, val *node) *OpError {
	cur, made := base, false
	last := len(to.segs) - 1
	for i := n; ; i++ {
		if len(cur.members) == 0 && i > n && !made {
			r.note(NoteLoss, to.segs[:i])
		}
		if i == last {
			break
		}
		next := cur.get(to.segs[i].name)
		made = next == nil
		if made {
			next = objectNode()
			cur.members = append(cur.members, to.segs[i].member(next))
		} else if next.kind != kindObject {
			return r.fault(ReasonPathType, to.segs[:i+1], next.what()+" where an object is needed")
		}
		cur = next
	}
	cur.members = append(cur.members, to.member(val))
	return nil
}

// unwrap puts a value in the place of the ancestor that held nothing else. An ancestor with more in it stays, and so its
// place is taken: target_exists.
func (r *run) unwrap(base *node, from, to path, n int) *OpError {
	chain, fault := r.chain(base, from, n)
	if fault != nil || chain == nil {
		return fault
	}
	val := chain[len(chain)-1].get(from.last())
	top := len(to.segs) - 1 - n // chain[top] is the object that holds the target
	for _, inner := range chain[top+1:] {
		if len(inner.members) > 1 {
			return r.fault(ReasonTargetExists, to.segs, inner.what()+" holds more than "+from.last())
		}
	}
	chain[top].set(to.last(), val)
	return nil
}
