package design

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// arena keeps many short strings in few allocations.
type arena struct{ chunk []byte }

const arenaChunk = 64 << 10

func (a *arena) keep(w []byte) string {
	if len(w) > arenaChunk/4 {
		return string(w)
	}
	if len(a.chunk)+len(w) > cap(a.chunk) {
		a.chunk = make([]byte, 0, arenaChunk)
	}
	off := len(a.chunk)
	a.chunk = append(a.chunk, w...)
	return bytesAsString(a.chunk[off:len(a.chunk):len(a.chunk)])
}

// tokenHash is a SHA-256 over words separated by single spaces, fed in large pieces.
type tokenHash struct {
	h    hash.Hash
	buf  []byte
	used bool
}

func newTokenHash() *tokenHash { return &tokenHash{h: sha256.New(), buf: make([]byte, 0, 32<<10)} }

func (t *tokenHash) add(w []byte) {
	t.used = true
	if len(t.buf)+len(w)+1 > cap(t.buf) {
		t.h.Write(t.buf)
		t.buf = t.buf[:0]
		if len(w) >= cap(t.buf) {
			t.h.Write(w)
			w = nil
		}
	}
	t.buf = append(append(t.buf, w...), ' ')
}

// sum is `sha256:<hex>`, or "" when nothing was added.
func (t *tokenHash) sum() string {
	if !t.used {
		return ""
	}
	t.h.Write(t.buf)
	t.buf = t.buf[:0]
	return hashRef(t.h)
}

func hashRef(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }

// maxInteger bounds a coordinate, so that sums of two stay exact in JSON numbers.
const maxInteger = 1 << 50

// parseInt reads a decimal whole number of magnitude up to maxInteger, optionally with a fraction of zeros only.
func parseInt(w []byte) (int64, bool) {
	i, neg := 0, false
	if len(w) > 0 && (w[0] == '-' || w[0] == '+') {
		neg = w[0] == '-'
		i = 1
	}
	start := i
	var n int64
	for ; i < len(w) && w[i] >= '0' && w[i] <= '9'; i++ {
		n = n*10 + int64(w[i]-'0')
		if n > maxInteger {
			return 0, false
		}
	}
	if i == start {
		return 0, false
	}
	if i < len(w) && w[i] == '.' {
		for i++; i < len(w) && w[i] == '0'; i++ {
		}
	}
	if i != len(w) {
		return 0, false
	}
	if neg {
		n = -n
	}
	return n, true
}
