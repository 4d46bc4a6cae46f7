package script

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// hookName is what inserted calls are bound to; no script can spell it.
const hookName = "\x00statement"

// instrumented compiles the script with a call before every statement inside a function. Positions of the script's own
// code stay what they are, so errors read the same.
func (p *program) instrumented() (*starlark.Program, error) {
	f, err := dialect.Parse(p.name, p.src, 0)
	if err != nil {
		return nil, placed(err)
	}
	for _, st := range f.Stmts {
		instrumentDefs(st)
	}
	prog, err := starlark.FileProgram(f, func(name string) bool { return name == hookName || predeclared.Has(name) })
	if err != nil {
		return nil, placed(err)
	}
	return prog, nil
}

// instrumentDefs looks for functions in a statement outside any function.
func instrumentDefs(st syntax.Stmt) {
	switch st := st.(type) {
	case *syntax.DefStmt:
		st.Body = instrumentBody(st.Body)
	case *syntax.IfStmt:
		for _, s := range append(st.True, st.False...) {
			instrumentDefs(s)
		}
	case *syntax.ForStmt:
		for _, s := range st.Body {
			instrumentDefs(s)
		}
	case *syntax.WhileStmt:
		for _, s := range st.Body {
			instrumentDefs(s)
		}
	}
}

// instrumentBody puts a hook call before each statement of a function's body, at every depth.
func instrumentBody(body []syntax.Stmt) []syntax.Stmt {
	if len(body) == 0 {
		return body // an absent else stays absent
	}
	out := make([]syntax.Stmt, 0, 2*len(body))
	for i, st := range body {
		if i == 0 && isDocstring(st) {
			out = append(out, st)
			continue
		}
		start, _ := st.Span()
		switch st := st.(type) {
		case *syntax.DefStmt:
			st.Body = instrumentBody(st.Body)
		case *syntax.IfStmt:
			st.True, st.False = instrumentBody(st.True), instrumentBody(st.False)
		case *syntax.ForStmt:
			st.Body = instrumentBody(st.Body)
		case *syntax.WhileStmt:
			st.Body = instrumentBody(st.Body)
		}
		out = append(out, hookCall(start), st)
	}
	return out
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

// hookCall is the statement `hook()` at a position: the hook reads where it was called from the call stack.
func hookCall(at syntax.Position) syntax.Stmt {
	return &syntax.ExprStmt{X: &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: hookName}, Lparen: at, Rparen: at}}
}
