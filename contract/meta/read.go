package meta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"flowdbg/trace/canon"
)

// maxVersion bounds contract integers; they grow by one a break, so anything larger is an error of configuration.
const maxVersion = 1_000_000

// Integer reads a contract version as `_meta` delivers it: a float64, a json.Number or a Go integer. 2 and 2.0 are two;
// 2.5, "2", 0, negatives and booleans are errors.
func Integer(v any) (int, error) {
	switch x := v.(type) {
	case float64:
		return fromFloat(x)
	case json.Number:
		return fromText(string(x))
	case int:
		return inRange(int64(x))
	case int64:
		return inRange(x)
	case nil:
		return 0, fmt.Errorf("null is no contract version: want a whole number from 1")
	case string:
		return 0, fmt.Errorf("the text %s is no contract version: want a whole number from 1", strconv.Quote(short(x)))
	case bool:
		return 0, fmt.Errorf("%v is no contract version: want a whole number from 1", x)
	}
	return 0, fmt.Errorf("a %s is no contract version: want a whole number from 1", kindOf(v))
}

func fromFloat(f float64) (int, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) || f != math.Trunc(f) {
		return 0, fmt.Errorf("%v is no contract version: want a whole number from 1", f)
	}
	if f < 1 || f > maxVersion {
		return 0, fmt.Errorf("%v is no contract version: want 1 to %d", f, maxVersion)
	}
	return int(f), nil
}

// fromText reads the number exactly: 2.0000000000000000001 is not 2, although its nearest float64 is.
func fromText(text string) (int, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) > maxVersion || f != 0 && math.Abs(f) < 1e-300 || len(text) > 400 {
		return 0, fmt.Errorf("%s is no contract version: want 1 to %d", short(text), maxVersion)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() {
		return 0, fmt.Errorf("%s is no contract version: want a whole number from 1", short(text))
	}
	return inRange(r.Num().Int64())
}

func inRange(i int64) (int, error) {
	if i < 1 || i > maxVersion {
		return 0, fmt.Errorf("%d is no contract version: want 1 to %d", i, maxVersion)
	}
	return int(i), nil
}

func short(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}

func kindOf(v any) string {
	switch v.(type) {
	case []any:
		return "list"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", v)
}

// List reads a list of versions: sorted, without repetitions. One bad element discards the whole list, and the error names
// it; duplicates says that a version was listed twice.
func List(v any) (versions []int, duplicates bool, err error) {
	list, ok := v.([]any)
	if !ok {
		if ints, isInts := v.([]int); isInts {
			for _, i := range ints {
				list = append(list, i)
			}
		} else {
			return nil, false, fmt.Errorf("want a list of contract versions, not %s", describe(v))
		}
	}
	if len(list) == 0 {
		return nil, false, fmt.Errorf("the list of contract versions is empty")
	}
	for i, e := range list {
		n, err := Integer(e)
		if err != nil {
			return nil, false, fmt.Errorf("element %d: %w", i, err)
		}
		versions = append(versions, n)
	}
	slices.Sort(versions)
	unique := slices.Compact(slices.Clone(versions))
	return unique, len(unique) < len(versions), nil
}

func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		return "a text"
	case bool:
		return strconv.FormatBool(x)
	case float64, json.Number, int, int64:
		return fmt.Sprintf("the number %v", x)
	}
	switch kind := kindOf(v); kind {
	case "object":
		return "an " + kind
	default:
		return "a " + kind
	}
}

// Parse reads the JSON text of a `_meta` object with numbers kept as spelt. Empty text and null are no `_meta`; a member
// given twice is an error, because readers would disagree about which one counts.
func Parse(data []byte) (map[string]any, error) {
	text := bytes.TrimSpace(data)
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	if _, _, err := canon.Parse(text, canon.Options{Integers: canon.IntegersAccept}); err != nil {
		return nil, fmt.Errorf("_meta: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("_meta is no JSON object: %w", err)
	}
	return m, nil
}

// OfAnswer is the `_meta` of an initialize or server/discover answer: the answer itself, or the JSON-RPC message around it.
func OfAnswer(data []byte) (map[string]any, error) {
	m, err := Parse(data)
	if err != nil {
		return nil, err
	}
	if result, ok := m["result"].(map[string]any); ok {
		m = result
	}
	switch inner := m["_meta"].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return inner, nil
	default:
		return nil, fmt.Errorf("_meta of the answer: want an object, not %s", describe(inner))
	}
}
