package script

import (
	"strconv"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// siteName and boundName are what the marks of statements are bound to, by their number; no script can spell them.
func siteName(i int) string  { return "\x00site" + strconv.Itoa(i) }
func boundName(i int) string { return "\x00bound" + strconv.Itoa(i) }

// instrumented is the script with a mark before every statement inside a function, and the marks. Positions of the script's
// own code stay what they are, so errors read the same.
//
// A mark is the statement `not site`: the interpreter asks the site for its truth, and that is the hook. It is the cheapest
// way from a script into this package: three steps and one method call, where calling a function takes a frame of its own.
// Sites are predeclared, and bound to global variables first, because those are read without a look-up by name.
func (p *program) instrumented() (*starlark.Program, []*site, error) {
	f, err := dialect.Parse(p.name, p.src, 0)
	if err != nil {
		return nil, nil, placed(err)
	}
	in := instrumenter{file: p.name, under: &p.under}
	for _, st := range f.Stmts {
		in.defs(st)
	}
	binds := make([]syntax.Stmt, len(in.sites), len(in.sites)+len(f.Stmts))
	names := make(map[string]bool, len(in.sites))
	for i := range binds {
		names[siteName(i)] = true
		binds[i] = &syntax.AssignStmt{Op: syntax.EQ, LHS: &syntax.Ident{Name: boundName(i)}, RHS: &syntax.Ident{Name: siteName(i)}}
	}
	f.Stmts = append(binds, f.Stmts...)
	prog, err := starlark.FileProgram(f, func(name string) bool { return names[name] || predeclared.Has(name) })
	if err != nil {
		return nil, nil, placed(err)
	}
	return prog, in.sites, nil
}

// instrumenter numbers the statements of one file.
type instrumenter struct {
	file  string
	under *under
	sites []*site
}

// defs looks for functions in a statement outside any function.
func (in *instrumenter) defs(st syntax.Stmt) {
	switch st := st.(type) {
	case *syntax.DefStmt:
		st.Body = in.body(st.Name.Name, st.Body)
	case *syntax.IfStmt:
		for _, s := range append(st.True, st.False...) {
			in.defs(s)
		}
	case *syntax.ForStmt:
		for _, s := range st.Body {
			in.defs(s)
		}
	case *syntax.WhileStmt:
		for _, s := range st.Body {
			in.defs(s)
		}
	}
}

// body puts a mark before each statement of a function's body, at every depth.
func (in *instrumenter) body(fn string, body []syntax.Stmt) []syntax.Stmt {
	if len(body) == 0 {
		return body // an absent else stays absent
	}
	out := make([]syntax.Stmt, 0, 2*len(body))
	for i, st := range body {
		if i == 0 && isDocstring(st) {
			out = append(out, st)
			continue
		}
		out = append(out, in.mark(fn, st))
		switch st := st.(type) {
		case *syntax.DefStmt:
			st.Body = in.body(st.Name.Name, st.Body)
		case *syntax.IfStmt:
			st.True, st.False = in.body(fn, st.True), in.body(fn, st.False)
		case *syntax.ForStmt:
			st.Body = in.body(fn, st.Body)
		case *syntax.WhileStmt:
			st.Body = in.body(fn, st.Body)
		}
		out = append(out, st)
	}
	return out
}

// mark is the statement that reports one.
func (in *instrumenter) mark(fn string, st syntax.Stmt) syntax.Stmt {
	at, _ := st.Span()
	i := len(in.sites)
	in.sites = append(in.sites, &site{under: in.under, id: uint32(i), place: Place{File: in.file, Line: int(at.Line), Col: int(at.Col), Func: fn}})
	return &syntax.ExprStmt{X: &syntax.UnaryExpr{OpPos: at, Op: syntax.NOT, X: &syntax.Ident{NamePos: at, Name: boundName(i)}}}
}

// isDocstring is true for a statement that is a text alone: it says something to the reader and does nothing.
func isDocstring(st syntax.Stmt) bool {
	e, ok := st.(*syntax.ExprStmt)
	if !ok {
		return false
	}
	l, ok := e.X.(*syntax.Literal)
	return ok && l.Token == syntax.STRING
}
