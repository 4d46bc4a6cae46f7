package require

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"flowdbg/trace/canon"
)

// Read reads a document of requirements: JSON ({"required_contracts": {NAME: CONSTRAINTS, …}} as in seed 000, that object
// alone, or a list of "NAME CONSTRAINTS"), or text with one "NAME CONSTRAINTS" a line, where # begins a comment line.
// Errors are joined (up to 20), so that one run shows every mistake.
func Read(data []byte) ([]Requirement, error) {
	if !isJSON(data) {
		return readLines(data, Parse)
	}
	v, _, err := canon.Parse(data, canon.Options{})
	if err != nil {
		return nil, err
	}
	if v.Kind() == canon.KindObject && !v.Get("required_contracts").IsAbsent() {
		v = v.Get("required_contracts")
	}
	var required []Requirement
	var errs []error
	add := func(where string, r Requirement, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
			return
		}
		required = append(required, r)
	}
	switch v.Kind() {
	case canon.KindObject:
		for name, constraints := range v.Members() {
			text, ok := constraints.Str()
			if !ok {
				errs = append(errs, fmt.Errorf("%s: constraints are %s, not a string", name, constraints.Kind()))
				continue
			}
			r, err := ParsePair(name, text)
			add(name, r, err)
		}
	case canon.KindArray:
		for i, element := range v.Elems() {
			text, ok := element.Str()
			if !ok {
				errs = append(errs, fmt.Errorf("element %d is %s, not a string", i, element.Kind()))
				continue
			}
			r, err := Parse(text)
			add(fmt.Sprintf("element %d", i), r, err)
		}
	default:
		return nil, fmt.Errorf("requirements are %s, not an object or a list", v.Kind())
	}
	return required, joined(errs)
}

// joined is all errors as one, or the first of them with the number of the others: a file that is something else altogether
// has as many as it has lines.
func joined(errs []error) error {
	const most = 20
	if more := len(errs) - most; more > 0 {
		errs = append(errs[:most:most], fmt.Errorf("and %d more", more))
	}
	return errors.Join(errs...)
}

// ReadProvided reads text with one "NAME @ VERSION" a line; # begins a comment line. Errors are joined (up to 20).
func ReadProvided(data []byte) ([]Provided, error) { return readLines(data, ParseProvided) }

func isJSON(data []byte) bool {
	text := strings.TrimLeft(string(data), " \t\r\n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

func readLines[T any](data []byte, parse func(string) (T, error)) ([]T, error) {
	var items []T
	var errs []error
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		item, err := parse(line)
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", number, err))
			continue
		}
		items = append(items, item)
	}
	return slices.Clip(items), joined(errs)
}
