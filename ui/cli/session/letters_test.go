package session

import (
	"slices"
	"testing"

	"flowdbg/ui/tui/keymap"
)

// same says which word does what an action of the screen does. Actions that are about the screen alone have none.
var same = map[keymap.ID]string{
	keymap.Step: "step", keymap.StepBack: "back", keymap.NextEvent: "next", keymap.PrevEvent: "prev", keymap.Continue: "continue",
	keymap.ReverseContinue: "reverse", keymap.NextOf: "next-of", keymap.PrevOf: "prev-of", keymap.Goto: "goto", keymap.Restart: "restart",
	keymap.Breakpoints: "break", keymap.BreakHere: "break-here", keymap.Watch: "watch", keymap.Watches: "watches", keymap.Why: "why",
	keymap.CameOf: "came-of", keymap.WhoChanged: "who-changed", keymap.Source: "source", keymap.Print: "print", keymap.Search: "search",
	keymap.SearchNext: "search-next", keymap.SearchPrev: "search-prev", keymap.Filter: "filter", keymap.Edit: "edit", keymap.Fork: "fork",
	keymap.Mark: "mark", keymap.Marks: "marks", keymap.Answer: "answer", keymap.CompareRuns: "compare", keymap.Reload: "reload", keymap.Help: "help",
}

// A letter of a session does what the key of that letter does on the screen, and every key that has a word is a letter.
func TestLettersAreTheScreens(t *testing.T) {
	for _, a := range keymap.Default() {
		word, ok := same[a.ID]
		for _, key := range a.Keys {
			c := find(key)
			switch {
			case len(key) > 1:
			case !ok && c != nil:
				t.Errorf("%s is %s in a session and %s on the screen", key, c.names[0], a.ID)
			case ok && (c == nil || c.names[0] != word):
				t.Errorf("%s, which is %s on the screen, is not %s in a session", key, a.ID, word)
			}
		}
	}
	for _, c := range commands {
		for _, n := range c.names {
			if len(n) > 1 {
				continue
			}
			ok := slices.ContainsFunc(keymap.Default(), func(a keymap.Action) bool { return same[a.ID] == c.names[0] && slices.Contains(a.Keys, n) })
			if !ok {
				t.Errorf("the letter %s of %s is no key of the screen", n, c.names[0])
			}
		}
	}
}
