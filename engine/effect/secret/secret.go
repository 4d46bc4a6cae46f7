// Package secret keeps secret values out of everything that is written. Secrets are named in settings as
// {"$secret": "NAME"}; the value is read from the environment when a call needs it and lives nowhere else (design 05).
// The package may hold the lookup of values, the search for them in texts and JSON values, and their replacement. It
// must not write, log or return a value in an error, and it opens no connection.
package secret

import (
	"fmt"
	"os"
	"slices"
	"sync"

	"flowdbg/trace/canon"
)

// Member is the key that marks a secret: {"$secret": "NAME"}.
const Member = "$secret"

// MinBytes is the length of the shortest secret. A shorter one would be found everywhere, and then redacted there.
const MinBytes = 8

// Missing is a secret that the environment does not have, or has empty.
type Missing struct{ Name string }

// Error names the secret.
func (e *Missing) Error() string {
	return fmt.Sprintf("the environment has no variable %q for the secret of that name", e.Name)
}

// TooShort is a secret of fewer than MinBytes bytes.
type TooShort struct{ Name string }

// Error names the secret; it does not tell how long it is.
func (e *TooShort) Error() string {
	return fmt.Sprintf("the secret %q is shorter than %d bytes: it could not be told from ordinary text", e.Name, MinBytes)
}

// NotDeclared is a secret that a request names although the op's settings do not.
type NotDeclared struct{ Name string }

// Error says where it would have to be declared.
func (e *NotDeclared) Error() string {
	return fmt.Sprintf("the request names the secret %q, which the op's settings do not list under \"secrets\"", e.Name)
}

// Vault looks up the values of a fixed set of names. It is safe for concurrent use.
type Vault struct {
	names  []string
	lookup func(string) (string, bool)

	mu      sync.Mutex
	values  []string // what scanner was made for, in the order of names
	scanner *Scanner
}

// NewVault makes a vault for names; lookup nil is the process's environment.
func NewVault(lookup func(string) (string, bool), names ...string) *Vault {
	if lookup == nil {
		lookup = os.LookupEnv
	}
	names = slices.Clone(names)
	slices.Sort(names)
	return &Vault{names: slices.Compact(names), lookup: lookup}
}

// Names lists what the vault may look up, sorted.
func (v *Vault) Names() []string { return slices.Clone(v.names) }

// Value is the secret's value now. Errors are *Missing, *TooShort, and *NotDeclared for a name the vault does not have.
func (v *Vault) Value(name string) (string, error) {
	if _, ok := slices.BinarySearch(v.names, name); !ok {
		return "", &NotDeclared{name}
	}
	value, ok := v.lookup(name)
	switch {
	case !ok || value == "":
		return "", &Missing{name}
	case len(value) < MinBytes:
		return "", &TooShort{name}
	}
	return value, nil
}

// TooShort lists the names whose present values are refused. A name that is not set is not among them: it may be set
// by the time it is needed.
func (v *Vault) TooShort() []string {
	var list []string
	for _, name := range v.names {
		if value, ok := v.lookup(name); ok && value != "" && len(value) < MinBytes {
			list = append(list, name)
		}
	}
	return list
}

// Scanner finds every value that the environment holds now for one of the vault's names. Values that are too short are
// left out: they are never used. The scanner is made anew only when a value has changed.
func (v *Vault) Scanner() *Scanner {
	v.mu.Lock()
	defer v.mu.Unlock()
	same := v.scanner != nil
	for i, name := range v.names {
		value, _ := v.lookup(name)
		if i == len(v.values) {
			v.values = append(v.values, "")
			same = false
		}
		if v.values[i] != value {
			v.values[i], same = value, false
		}
	}
	if same {
		return v.scanner
	}
	old := v.scanner
	v.scanner = &Scanner{}
	if old != nil { // a value that was used once may still come back
		for _, p := range old.secrets {
			v.scanner.add(p.name, p.value)
		}
	}
	for i, name := range v.names {
		v.scanner.add(name, v.values[i])
	}
	return v.scanner
}

// NameOf is the name when v is {"$secret": "NAME"} and nothing else.
func NameOf(v canon.Value) (name string, ok bool) {
	if v.Kind() != canon.KindObject || v.Count() != 1 {
		return "", false
	}
	return v.Get(Member).Str()
}

// Names lists the secrets that are named anywhere in a value, sorted, each once.
func Names(v canon.Value) []string {
	var list []string
	collect(v, &list)
	slices.Sort(list)
	return slices.Compact(list)
}

func collect(v canon.Value, list *[]string) {
	switch v.Kind() {
	case canon.KindObject:
		if name, ok := NameOf(v); ok {
			*list = append(*list, name)
			return
		}
		for _, m := range v.Members() {
			collect(m, list)
		}
	case canon.KindArray:
		for _, e := range v.Elems() {
			collect(e, list)
		}
	}
}

// Text is a setting that is a text or a secret: the string itself, or the value of {"$secret": NAME} now.
func (v *Vault) Text(set canon.Value) (string, error) {
	if name, ok := NameOf(set); ok {
		return v.Value(name)
	}
	s, ok := set.Str()
	if !ok {
		return "", fmt.Errorf("not a text and no {%q: NAME}", Member)
	}
	return s, nil
}

// Resolve puts the values of secrets into a copy of a request's input, for the provider alone to see. allowed are the
// names that the op's settings let requests use; another one is *NotDeclared.
func (v *Vault) Resolve(input canon.Value, allowed []string) (canon.Value, error) {
	switch input.Kind() {
	case canon.KindObject:
		if name, ok := NameOf(input); ok {
			if !slices.Contains(allowed, name) {
				return canon.Value{}, &NotDeclared{name}
			}
			value, err := v.Value(name)
			return canon.String(value), err
		}
		members := make([]canon.Member, 0, input.Count())
		for k, m := range input.Members() {
			r, err := v.Resolve(m, allowed)
			if err != nil {
				return canon.Value{}, err
			}
			members = append(members, canon.Member{Key: k, Value: r})
		}
		return canon.Object(members...), nil
	case canon.KindArray:
		elems := make([]canon.Value, 0, input.Count())
		for _, e := range input.Elems() {
			r, err := v.Resolve(e, allowed)
			if err != nil {
				return canon.Value{}, err
			}
			elems = append(elems, r)
		}
		return canon.Array(elems...), nil
	}
	return input, nil
}
