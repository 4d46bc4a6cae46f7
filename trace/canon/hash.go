package canon

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is the sha256 of the canonical text in lower-case hexadecimal: the state hash of a state document, the
// request hash of a request. An absent value has the hash of the empty text.
func (v Value) Hash() string { return HashText(v.text) }

// Sum is the sha256 of the canonical text.
func (v Value) Sum() [sha256.Size]byte { return sha256.Sum256(bytesOf(v.text)) }

// HashText is the sha256 of any text in lower-case hexadecimal.
func HashText(text string) string {
	sum := sha256.Sum256(bytesOf(text))
	return hex.EncodeToString(sum[:])
}
