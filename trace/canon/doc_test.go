package canon

import (
	"slices"
	"strings"
	"testing"
)

// TestDocCollects: everything but syntax is collected, in the order of the text, and the tree is complete.
func TestDocCollects(t *testing.T) {
	src := "\ufeff{\n" +
		` "b": "x` + "\xff\xfe" + `y", "a": [1, 9007199254740993, 1e400],` + "\n" +
		` "b": "\ud800", "c": {"k": 1, "k": 2, "k": 3}` + "\n}"
	d, errs := ParseDoc([]byte(src))
	var got []string
	for _, e := range errs {
		got = append(got, e.Error())
	}
	want := []string{
		"1:1: a byte order mark (U+FEFF) in front of the text; save as UTF-8 without byte order mark",
		"2:9 /b: the byte 0xff is not UTF-8; write UTF-8",
		"2:24 /a/1: the integer 9007199254740993 is beyond ±9007199254740991 and would be rounded; send it as a string",
		"2:42 /a/2: the number 1e400 is out of range; allowed is at most 1.7976931348623157e308 in size",
		`3:2 /b: the key "b" a second time in one object; write each key once`,
		`3:8 /b: half a surrogate pair: \ud800; write a pair such as \ud83d\ude02, or the character itself`,
		`3:31 /c/k: the key "k" a second time in one object; write each key once`,
		`3:39 /c/k: the key "k" a second time in one object; write each key once`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("errors\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if d.Root == nil {
		t.Fatal("no tree")
	}
	if v := d.Root.Value().Text(); v != `{"a":[1,9007199254740992,1.7976931348623157e+308],"b":"`+"\uFFFD"+`","c":{"k":3}}` {
		t.Errorf("value %s", v)
	}
	if s, ok := d.Root.Members[0].Value.Str(); !ok || s != "x\uFFFDy" {
		t.Errorf("first b is %q", s)
	}
	if n, ok := d.Root.Get("c").Get("k").Int(); !ok || n != 3 {
		t.Errorf("k = %d", n)
	}
}

// TestDocFirstSyntaxError: reading ends at the first syntax error; what was found before it stays.
func TestDocFirstSyntaxError(t *testing.T) {
	d, errs := ParseDoc([]byte(`{"a":1,"a":2,"b":{"x":1,"x":2},"c":[,],"d":}`))
	if len(errs) != 3 || errs[0].Pointer != "/a" || errs[1].Pointer != "/b/x" || errs[2].Pointer != "/c/0" || d.Root != nil {
		t.Errorf("errors %v", errs)
	}
	if line, col := d.Position(1000); line != 1 || col != 45 {
		t.Errorf("the end is at %d:%d", line, col)
	}
}

func TestDocErrorsAreBounded(t *testing.T) {
	d, errs := ParseDoc([]byte("[" + strings.Repeat(`"`+"\xff"+`",`, 5000) + "0]"))
	if len(errs) != maxDocErrors+1 || d.Root != nil || !strings.Contains(errs[maxDocErrors].What, "more than") {
		t.Errorf("%d errors", len(errs))
	}
}

// TestNodePositions: Data[Off:End] of every node is its own text, and Position leads there.
func TestNodePositions(t *testing.T) {
	src := "{\n  \"é\" : [ 1.50 , \"a\\n\" ],\r\n\t\"x\":{ },\"t\":true,\"n\":null }\n"
	d, errs := ParseDoc([]byte(src))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	root := d.Root
	for _, c := range []struct {
		node      *Node
		text      string
		line, col int
	}{
		{root, strings.TrimSpace(src), 1, 1}, {root.Get("é"), "[ 1.50 , \"a\\n\" ]", 2, 9},
		{root.Get("é").Elems[0], "1.50", 2, 11}, {root.Get("é").Elems[1], `"a\n"`, 2, 18}, {root.Get("x"), "{ }", 3, 6},
		{root.Get("t"), "true", 3, 14}, {root.Get("n"), "null", 3, 23},
	} {
		if got := src[c.node.Off:c.node.End]; got != c.text {
			t.Errorf("node text %q, want %q", got, c.text)
		}
		if line, col := d.Position(c.node.Off); line != c.line || col != c.col {
			t.Errorf("%q at %d:%d, want %d:%d", c.text, line, col, c.line, c.col)
		}
	}
	if got := src[root.Members[0].KeyOff:root.Members[0].Value.Off]; got != `"é" : ` {
		t.Errorf("key offset leads to %q", got)
	}
	if got := root.Value().Text(); got != `{"n":null,"t":true,"x":{},"é":[1.5,"a\n"]}` {
		t.Errorf("value %s", got)
	}
	for _, off := range []int{-5, 0} {
		if line, col := d.Position(off); line != 1 || col != 1 {
			t.Errorf("Position(%d) = %d:%d", off, line, col)
		}
	}
}

// TestNilNode: the accessors of a nil node answer no, so that lookups can be chained.
func TestNilNode(t *testing.T) {
	var n *Node
	_, str := n.Str()
	_, num := n.Float()
	_, integer := n.Int()
	_, boolean := n.Bool()
	if str || num || integer || boolean || n.IsNull() || n.Get("x") != nil || !n.Value().IsAbsent() {
		t.Error("a nil node has something")
	}
	d, _ := ParseDoc([]byte(`[1.5, 2.0, true, null, 1e300]`))
	e := d.Root.Elems
	if i, ok := e[1].Int(); !ok || i != 2 {
		t.Errorf("2.0 as an integer: %d, %v", i, ok)
	}
	for _, k := range []int{0, 2, 3, 4} {
		if i, ok := e[k].Int(); ok {
			t.Errorf("element %d as an integer: %d", k, i)
		}
	}
	if b, ok := e[2].Bool(); !b || !ok || !e[3].IsNull() || d.Root.Get("x") != nil {
		t.Error("scalars of the tree")
	}
}
