package keymap

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// Split turns a message into single keys. Fast typing, held keys and tmux arrive as one message with several
// characters ("sss"), which no binding would match. Pasted text stays whole: it is text, not keys.
func Split(msg tea.KeyMsg) []tea.KeyMsg {
	if msg.Type != tea.KeyRunes || msg.Paste || len(msg.Runes) <= 1 {
		return []tea.KeyMsg{msg}
	}
	keys := make([]tea.KeyMsg, len(msg.Runes))
	for i, r := range msg.Runes {
		keys[i] = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: msg.Alt}
		if r == ' ' {
			keys[i].Type = tea.KeySpace
		}
	}
	return keys
}

// Splitter is Split with a memory, for the root of the app. It also drops a terminal's late answer to a question
// about its colours: over a slow line it arrives after we stopped waiting, and Bubble Tea hands it on as if somebody
// had typed it (alt+], then "11;rgb:1e1e/1e1e/1e1e", then alt+\ or ctrl+g), which would press a dozen keys.
type Splitter struct{ state replyState }

type replyState uint8

const (
	noReply    replyState = iota
	introduced            // alt+] came: the next characters may be an answer
	inReply               // they are
)

// Split returns the keys of a message, none when it belongs to a terminal's answer.
func (s *Splitter) Split(msg tea.KeyMsg) []tea.KeyMsg {
	state := s.state
	s.state = noReply
	plain := msg.Type == tea.KeyRunes && !msg.Paste
	text := string(msg.Runes)
	switch {
	case plain && msg.Alt && text == "]":
		s.state = introduced
	case state == introduced && plain && !msg.Alt && (strings.HasPrefix(text, "10;") || strings.HasPrefix(text, "11;")):
		s.state = inReply
		return nil
	case state == inReply && plain && !msg.Alt && strings.Trim(text, "0123456789abcdefABCDEFrg:/;#") == "":
		s.state = inReply // the answer came in pieces
		return nil
	case state == inReply && (plain && msg.Alt && text == `\` || msg.Type == tea.KeyCtrlG):
		return nil
	}
	return Split(msg)
}
