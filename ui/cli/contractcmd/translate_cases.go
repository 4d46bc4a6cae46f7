package contractcmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"flowdbg/contract/translate"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// ruleCase is one data case of rule operations. Side is input when absent; notes absent = not checked; at is not checked
// for bad_rule.
type ruleCase struct {
	Name  string          `json:"n"`
	Ops   json.RawMessage `json:"ops"`
	Up    bool            `json:"up"`
	Side  translate.Side  `json:"side"`
	In    json.RawMessage `json:"in"`
	Want  json.RawMessage `json:"want"`
	Err   string          `json:"err"`
	At    string          `json:"at"`
	Notes *[]string       `json:"notes"`
}

// caseVerdict is what became of one case; Why is empty when it passed.
type caseVerdict struct {
	Name string `json:"n"`
	Pass bool   `json:"pass"`
	Why  string `json:"why,omitempty"`
}

func runCases(cmd *cobra.Command, file string, data []byte, asJSON bool) error {
	cases, err := readCases(data)
	if err != nil {
		return out.Bad("%s:%w", file, err)
	}
	verdicts := make([]caseVerdict, len(cases))
	failed := 0
	for i, c := range cases {
		why := c.run()
		verdicts[i] = caseVerdict{c.Name, why == "", why}
		if why != "" {
			failed++
		}
	}
	w := cmd.OutOrStdout()
	if asJSON {
		if err := out.JSON(w, map[string]any{"cases": verdicts, "failed": failed}); err != nil {
			return err
		}
	} else {
		for _, v := range verdicts {
			if !v.Pass {
				linef(w, "FAIL %s: %s\n", v.Name, v.Why)
			}
		}
		linef(w, "%d cases, %d failed\n", len(cases), failed)
	}
	if failed > 0 {
		return out.No("")
	}
	return nil
}

// readCases reads the list. It looks at each case as it is, so that a document that is no good in one case spoils only that.
func readCases(data []byte) ([]ruleCase, error) {
	if !json.Valid(data) {
		_, _, err := canon.Parse(data, canon.Options{Integers: canon.IntegersAccept}) // says where
		return nil, cmp.Or(err, errors.New(" no JSON"))
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil || len(list) == 0 {
		return nil, errors.New(" holds no cases: want a list of {n, ops, up, side, in, want} or {n, ops, up, side, in, err, at}")
	}
	cases := make([]ruleCase, len(list))
	for i, text := range list {
		var wrong *json.UnmarshalTypeError
		err := json.Unmarshal(text, &cases[i])
		if errors.As(err, &wrong) {
			err = fmt.Errorf("%q is a JSON %s", cmp.Or(wrong.Field, "the case"), wrong.Value)
		}
		c := cases[i]
		switch {
		case err == nil && c.Err == "" && c.Want == nil:
			err = errors.New(`neither "want" nor "err"`)
		case err == nil && c.Ops == nil, err == nil && c.In == nil:
			err = errors.New(`"ops" or "in" is missing`)
		case err == nil && c.Side != "" && c.Side != translate.Input && c.Side != translate.Output:
			err = fmt.Errorf("side %q: want input or output", c.Side)
		}
		if err != nil {
			return nil, fmt.Errorf(" case %d (%q): %w", i, c.Name, err)
		}
	}
	return cases, nil
}

// run says what is wrong, or nothing.
func (c ruleCase) run() string {
	side := c.Side
	if side == "" {
		side = translate.Input
	}
	ops, err := translate.ParseOps(c.Ops)
	var got []byte
	var notes []translate.Note
	if err == nil {
		got, notes, err = translate.Apply(ops, translate.Direction(c.Up), side, c.In)
	}
	code, at := caseError(err)
	switch {
	case c.Err != "" && (code != c.Err || code != translate.ReasonBadRule && at != c.At):
		return fmt.Sprintf("got %s at %q, want %s at %q", orDone(code), at, c.Err, c.At)
	case c.Err != "":
		return ""
	case err != nil:
		return err.Error()
	case !translate.Equal(got, c.Want):
		return fmt.Sprintf("got %s, want %s", got, c.Want)
	case c.Notes == nil:
		return ""
	}
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.String()
	}
	if !slices.Equal(texts, *c.Notes) {
		return fmt.Sprintf("notes %q, want %q", texts, *c.Notes)
	}
	return ""
}

func caseError(err error) (code, at string) {
	var fault *translate.OpError
	if errors.As(err, &fault) {
		return fault.Code, fault.At
	}
	var bad translate.RuleErrors
	if errors.As(err, &bad) {
		return translate.ReasonBadRule, bad[0].At
	}
	if err != nil {
		return translate.ReasonNotJSON, ""
	}
	return "", ""
}

func orDone(code string) string {
	if code == "" {
		return "a document"
	}
	return code
}
