package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"flowdbg/trace/canon"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/theme"
)

// Version is the version of layout.json that this program reads and writes. A file of a later one is not touched.
const Version = 1

// Kept is what was chosen on the screen and is kept in layout.json:
//
//	{"version": 1, "preset": "mine", "sizes": {"agents-width": 240}, "presets": {"mine": {"right-width": 500}},
//	 "theme": "light", "ascii": false}
//
// Sizes are thousandths by the names of layout.Border. Members and sizes with unknown names are kept as they are.
type Kept struct {
	Preset string       // the chosen preset, "" when none was
	Sizes  layout.Sizes // the sizes that were made, when Sized
	Sized  bool
	Own    []layout.Preset // the user's own presets by name; For is empty
	Theme  string          // one of theme.Choices, "" when none was chosen
	ASCII  *bool           // nil when it was not chosen

	doc canon.Value // what the file held, for the names that this program does not know
}

// keptLike is what the file looks like.
const keptLike = `{"version": 1, "preset": "events"}`

// maxName is how long the name of a preset may be, in characters.
const maxName = 40

// CheckName says what is wrong with the name of an own preset, nil when it is fine.
func CheckName(name string) error {
	switch n := utf8.RuneCountInString(name); {
	case strings.TrimSpace(name) != name || n == 0:
		return fmt.Errorf("a layout needs a name without blanks around it")
	case n > maxName:
		return fmt.Errorf("a name of %d characters is too long; at most %d", n, maxName)
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("a name may hold only what can be shown")
	case slices.ContainsFunc(layout.Presets(), func(p layout.Preset) bool { return p.Name == name }):
		return fmt.Errorf("%s is built in; take another name", name)
	}
	return nil
}

// Save keeps sizes under a name of the user's own, in place of what had it before.
func (k *Kept) Save(name string, sizes layout.Sizes) {
	k.Delete(name)
	k.Own = append(k.Own, layout.Preset{Name: name, Sizes: sizes})
	slices.SortFunc(k.Own, func(a, b layout.Preset) int { return strings.Compare(a.Name, b.Name) })
}

// Delete forgets a preset of the user's own.
func (k *Kept) Delete(name string) {
	k.Own = slices.DeleteFunc(slices.Clone(k.Own), func(p layout.Preset) bool { return p.Name == name })
}

func parseKept(path string, data []byte) (Kept, *Problem) {
	doc, problem := parse(path, data, keptLike)
	if problem != nil {
		return Kept{}, problem
	}
	if v := doc.Root.Get("version"); v != nil {
		n, ok := v.Int()
		if !ok || n < 1 {
			return Kept{}, doc.bad(v.Off, "version cannot be "+brief(doc, v), fmt.Sprintf("this program writes %d", Version))
		}
		if n > Version {
			p := doc.bad(v.Off, fmt.Sprintf("this file is of version %d, which a newer flowdbg wrote", n),
				fmt.Sprintf("this one knows %d: the file stays as it is, and changes of the layout last as long as the session", Version))
			return Kept{}, &Problem{p.Path, p.Line, p.Col, p.Text, p.Data}
		}
	}
	k := Kept{doc: doc.Root.Value()}
	for _, m := range doc.Root.Members {
		if problem := k.member(doc, m); problem != nil {
			return Kept{}, problem
		}
	}
	return k, nil
}

// newer says that a file is of a version to come, which must not be replaced.
func newer(data []byte) bool {
	doc, faults := canon.ParseDoc(data)
	if len(faults) > 0 || doc.Root == nil || doc.Root.Kind != canon.KindObject {
		return false
	}
	n, ok := doc.Root.Get("version").Int()
	return ok && n > Version
}

// member reads one member of the file.
func (k *Kept) member(doc document, m canon.NodeMember) (problem *Problem) {
	ok, want := true, ""
	switch m.Key {
	case "preset":
		k.Preset, ok = m.Value.Str()
		want = "use the name of a layout"
	case "sizes":
		k.Sized = true
		k.Sizes, problem = readSizes(doc, m.Value)
	case "presets":
		if ok = m.Value.Kind == canon.KindObject; !ok {
			want = `write {"NAME": {"agents-width": 240}}`
			break
		}
		for _, p := range m.Value.Members {
			if err := CheckName(p.Key); err != nil {
				return doc.bad(p.KeyOff, fmt.Sprintf("a layout cannot be called %.60q", p.Key), err.Error())
			}
			sizes, problem := readSizes(doc, p.Value)
			if problem != nil {
				return problem
			}
			k.Save(p.Key, sizes)
		}
	case "theme":
		k.Theme, ok = m.Value.Str()
		ok = ok && slices.Contains(theme.Choices(), k.Theme)
		want = "use " + strings.Join(theme.Choices(), ", ")
	case "ascii":
		var on bool
		on, ok = m.Value.Bool()
		k.ASCII = &on
		want = "use true or false"
	}
	if !ok {
		return doc.bad(m.Value.Off, fmt.Sprintf("%s cannot be %s", m.Key, brief(doc, m.Value)), want)
	}
	return problem
}

// readSizes reads {border: thousandths}. Names that are not known are passed over: a later program may have them.
func readSizes(doc document, n *canon.Node) (s layout.Sizes, problem *Problem) {
	if n.Kind != canon.KindObject {
		return s, doc.bad(n.Off, "sizes cannot be "+brief(doc, n), `write {"agents-width": 240}`)
	}
	for _, b := range layout.Borders() {
		v := n.Get(b.String())
		if v == nil {
			continue
		}
		share, ok := v.Int()
		if !ok || share < 1 || share > layout.Whole {
			return s, doc.bad(v.Off, fmt.Sprintf("%s cannot be %s", b, brief(doc, v)), fmt.Sprintf("use thousandths, 1 to %d", layout.Whole))
		}
		s[b] = int(share)
	}
	return s, nil
}

// format is the text of the file: what is known, over what it held and this program does not know.
func (k *Kept) format() []byte {
	text := func(s string) canon.Value {
		if s == "" {
			return canon.Value{}
		}
		return canon.String(s)
	}
	v := k.doc.With("version", canon.Int(Version)).With("preset", text(k.Preset)).With("theme", text(k.Theme))
	var ascii, sizes, own canon.Value
	if k.ASCII != nil {
		ascii = canon.Bool(*k.ASCII)
	}
	if k.Sized {
		sizes = sizesOver(k.doc.Get("sizes"), k.Sizes)
	}
	for _, p := range k.Own {
		own = own.With(p.Name, sizesOver(k.doc.Get("presets").Get(p.Name), p.Sizes))
	}
	v = v.With("ascii", ascii).With("sizes", sizes).With("presets", own)
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(v.Text()), "", "  "); err != nil {
		return append([]byte(v.Text()), '\n') // cannot happen: a Value is JSON
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// sizesOver writes sizes over what stood there, so that unknown names stay.
func sizesOver(v canon.Value, s layout.Sizes) canon.Value {
	if v.Kind() != canon.KindObject {
		v = canon.Object()
	}
	for _, b := range layout.Borders() {
		var share canon.Value
		if s[b] != 0 {
			share = canon.Int(int64(s[b]))
		}
		v = v.With(b.String(), share)
	}
	return v
}
