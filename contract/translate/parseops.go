package translate

import "strconv"

// ParseOps reads a JSON array of operations, as a step's "input" or "output" holds it. All faults are collected in a
// RuleErrors; a text that is no JSON is a *SyntaxError.
func ParseOps(data []byte) (Ops, error) {
	root, err := parseTree(data)
	if err != nil {
		return nil, err
	}
	l := loader{src: string(data)}
	ops := l.ops(root, "")
	if len(l.errs) > 0 {
		return nil, l.errs
	}
	return ops, nil
}

// loader collects the faults of one source.
type loader struct {
	file string
	src  string
	errs RuleErrors
}

func (l *loader) bad(off int, pointer, at, text string) {
	e := &RuleError{File: l.file, Pointer: pointer, At: at, Text: text}
	if off >= 0 && l.src != "" {
		e.Line, e.Col = position(l.src, off)
	}
	l.errs = append(l.errs, e)
}

// ops reads a list of operations; ptr is its place in the source.
func (l *loader) ops(n *node, ptr string) Ops {
	if n == nil {
		return nil
	}
	if n.kind != kindArray {
		l.bad(n.off, ptr, "", "want a list of operations, not "+n.what())
		return nil
	}
	ops := make(Ops, 0, len(n.elems))
	for i, e := range n.elems {
		op, bad := compileOp(e)
		if bad != nil {
			l.bad(bad.off, ptr+"/"+strconv.Itoa(i), bad.at, bad.text)
			continue
		}
		ops = append(ops, op)
	}
	return ops
}

// Equal says whether two JSON texts are the same value: members in any order, numbers by value (1.0 = 1) and exactly. A
// text that is no JSON equals nothing.
func Equal(a, b []byte) bool {
	x, err := parseTree(a)
	if err != nil {
		return false
	}
	y, err := parseTree(b)
	return err == nil && equal(x, y)
}
