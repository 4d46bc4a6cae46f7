package effect

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"flowdbg/engine/effect/price"
	"flowdbg/engine/effect/secret"
	"flowdbg/trace/canon"
)

// Setting documents one member of effects.<op>.
type Setting struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default,omitempty"`
	About   string `json:"about"`

	check func(v canon.Value) (what, want string)
}

// Settings lists what effects.<op> may hold when a provider answers the op, sorted by name. known is false for a pair
// whose settings are not this package's to check.
func Settings(op, provider string) (list []Setting, known bool) {
	list, known = settingsOf[key(op, provider)]
	return slices.Clone(list), known
}

// key is where the settings of an op with a provider stand: search goes over http, but has members of its own.
func key(op, provider string) string {
	switch {
	case op == "llm", op == "search", op == "judge":
		return op
	case provider == "openai":
		return "llm"
	}
	return provider
}

// CheckSettings holds effects.<op> to what its provider understands. Pointers are relative to the settings. A member
// that nobody reads is a warning; a value of another form is not. Providers that this package does not know check their
// settings themselves, when they are made.
func CheckSettings(op string, settings canon.Value) []Problem {
	provider := settings.Get("provider")
	name, ok := provider.Str()
	if !ok && !provider.IsAbsent() && !provider.IsNull() {
		return []Problem{{Pointer: "/provider", What: "the provider is not a name", Want: `write a string, "mock" for none`}}
	}
	if name == "" {
		name = ownProvider[op]
	}
	list, known := Settings(op, name)
	if !known {
		return nil
	}
	problems := checkPair(op, name)
	if len(problems) > 0 {
		return problems
	}
	for k, v := range settings.Members() {
		at := canon.AppendPointer("", k)
		i := slices.IndexFunc(list, func(s Setting) bool { return s.Name == k })
		if k == "provider" || v.IsNull() {
			continue
		}
		if i < 0 {
			problems = append(problems, Problem{Pointer: at, What: fmt.Sprintf("the op %q has no setting %q", op, k), Want: "there are provider, " + names(list), Warning: true})
			continue
		}
		if what, want := list[i].check(v); what != "" {
			problems = append(problems, Problem{Pointer: at, What: k + " " + what, Want: want})
		}
	}
	return append(problems, missing(op, name, settings)...)
}

// checkPair refuses providers that cannot answer an op.
func checkPair(op, provider string) []Problem {
	allowed, ok := map[string][]string{"llm": {"", mockName, "openai"}, "search": {"", mockName, "http"}, "judge": {"", "judge"}}[op]
	if !ok || slices.Contains(allowed, provider) {
		return nil
	}
	return []Problem{{Pointer: "/provider", What: fmt.Sprintf("no provider %q can answer the op %q", provider, op), Want: "there are " + strings.Join(allowed[1:], ", ")}}
}

// missing are the settings without which a real provider would not know what it may do.
func missing(op, provider string, settings canon.Value) []Problem {
	need := func(what string, keys ...string) []Problem {
		for _, k := range keys {
			if v := settings.Get(k); !v.IsAbsent() && !v.IsNull() {
				return nil
			}
		}
		return []Problem{{What: fmt.Sprintf("the op %q has no %s", op, strings.Join(keys, " and no ")), Want: what}}
	}
	switch {
	case op == "search" && provider == "http":
		return need("write the address that answers searches", "base_url")
	case provider == "http":
		return need(`write the one address that requests go below, or a list of hosts (["*"] for any)`, "base_url", "hosts")
	case provider == "exec":
		return need("list the programs that may be started", "programs")
	}
	return nil
}

func names(list []Setting) string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = s.Name
	}
	return strings.Join(all, ", ")
}

// The forms of values.

func isText(v canon.Value) (string, string) {
	if v.Kind() != canon.KindString {
		return "is no text", "write a string"
	}
	return "", ""
}

func isBool(v canon.Value) (string, string) {
	if _, ok := v.Bool(); !ok {
		return "is neither true nor false", "write true or false"
	}
	return "", ""
}

func isValue(canon.Value) (string, string) { return "", "" }

// number is a number within bounds; whole asks for an integer.
func number(least, most float64, whole bool) func(canon.Value) (string, string) {
	kind := "a number"
	if whole {
		kind = "a whole number"
	}
	return func(v canon.Value) (string, string) {
		f, ok := v.Float()
		if _, isInt := v.Int(); !ok || f < least || f > most || whole && !isInt {
			return "is not " + kind + " from " + text(least) + " to " + text(most), "write " + kind + " in these bounds"
		}
		return "", ""
	}
}

func text(f float64) string { return string(canon.AppendFloat(nil, f)) }

func oneOf(words ...string) func(canon.Value) (string, string) {
	return func(v canon.Value) (string, string) {
		if s, ok := v.Str(); !ok || !slices.Contains(words, s) {
			return "is none of its words", "write one of " + strings.Join(words, ", ")
		}
		return "", ""
	}
}

func isURL(v canon.Value) (string, string) {
	const want = `write an address such as "http://127.0.0.1:11434/v1"`
	s, ok := v.Str()
	u, err := url.Parse(s)
	switch {
	case !ok || err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "is no http or https address", want
	case u.User != nil:
		return "holds a name or password, which would stand in the flow", `leave it out, and write "headers": {"Authorization": {"$secret": "NAME"}}`
	case u.RawQuery != "" || u.Fragment != "":
		return "has a query or a fragment", want
	}
	return "", ""
}

func isPointer(v canon.Value) (string, string) {
	if s, ok := v.Str(); !ok || s != "" && !strings.HasPrefix(s, "/") {
		return "is no JSON Pointer", `write "" for the whole answer, or a path such as "/results"`
	}
	return "", ""
}

func isStrings(v canon.Value) (string, string) {
	const want = "write a list of strings"
	if v.Kind() != canon.KindArray {
		return "is no list", want
	}
	for _, e := range v.Elems() {
		if s, ok := e.Str(); !ok || s == "" {
			return "holds something that is no text, or is empty", want
		}
	}
	return "", ""
}

func isSecret(v canon.Value) (string, string) {
	if name, ok := secret.NameOf(v); !ok || name == "" {
		return "is not given by name", `write {"$secret": "NAME"} with the name of an environment variable; a value written here would stand in every copy of the flow`
	}
	return "", ""
}

// isTexts is an object of texts and secrets.
func isTexts(v canon.Value) (string, string) {
	const want = `write {"name": "text"} or {"name": {"$secret": "NAME"}}`
	if v.Kind() != canon.KindObject {
		return "is no object", want
	}
	for k, e := range v.Members() {
		if _, isName := secret.NameOf(e); e.Kind() != canon.KindString && !isName {
			return fmt.Sprintf("has a member %q that is neither a text nor a secret", k), want
		}
	}
	return "", ""
}

func isPrices(v canon.Value) (string, string) {
	if v.Kind() == canon.KindString {
		return "", "" // a file, read when the op is made live
	}
	if _, problems := price.Read(v); len(problems) > 0 {
		p := problems[0]
		return strings.TrimSpace("at "+p.Pointer+": ") + " " + p.What, "write " + p.Want + ", or the path of a file with that"
	}
	return "", ""
}

// Problem is something wrong with the settings of an op: where (a JSON Pointer inside the settings), what, and what
// would be right. A warning keeps nothing from running.
type Problem struct {
	Pointer, What, Want string
	Warning             bool
}
