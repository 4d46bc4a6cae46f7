package design

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
)

// DefaultMaxBytes is how much text Read takes at most after decompression: 16 GiB.
const DefaultMaxBytes = 16 << 30

// Options of Read. The zero value is fine.
type Options struct {
	Size     int64 // bytes of the input if known, as a hint for allocation only
	MaxBytes int64 // text after decompression; 0 = DefaultMaxBytes
}

// Read reads a snapshot of whatever kind the bytes are: DEF, a placed JSON of nextpnr, or the canonical text that Store and
// WriteModel write; each also in gzip. The kind is told by content, never by name. Errors in the text are *SyntaxError.
func Read(r io.Reader, opt Options) (*Snapshot, error) {
	raw := &countingHash{r: r, h: sha256.New()}
	in := bufio.NewReaderSize(raw, 64<<10)
	head, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading the design: %w", err)
	}
	limit := opt.MaxBytes
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	var text io.Reader = in
	compressed := len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b
	if compressed {
		gz, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("reading gzip: %w", err)
		}
		text = gz
	}
	snap, err := readText(&limited{r: text, left: limit + 1, limit: limit}, opt.Size)
	if err != nil {
		return nil, err
	}
	// what follows the text still belongs to the file and to its hash
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, fmt.Errorf("reading the design: %w", err)
	}
	snap.Source.FileSHA256 = hashRef(raw.h)
	snap.Source.FileBytes = raw.n
	snap.Source.Compressed = compressed
	return snap, nil
}

// readText tells the kind of the text by its first character. The white space before it is handed over unread, so that line
// numbers count it.
func readText(r io.Reader, size int64) (*Snapshot, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(512)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading the design: %w", err)
	}
	text := bytes.TrimLeft(head, " \t\r\n\v\f")
	switch {
	case len(text) == 0 && err == io.EOF:
		return nil, &SyntaxError{Line: 1, Col: 1, What: "an empty file", Want: "DEF or nextpnr's placed JSON"}
	case len(text) > 0 && text[0] == '{':
		return readJSON(in)
	}
	return readDEF(in, size)
}

// countingHash hashes and counts what is read through it.
type countingHash struct {
	r io.Reader
	h hash.Hash
	n int64
}

func (c *countingHash) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.h.Write(p[:n])
	c.n += int64(n)
	return n, err
}

// limited refuses to hand out more than its limit, so that a small gzip file cannot fill the memory.
type limited struct {
	r           io.Reader
	left, limit int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("the text is longer than the limit of %d bytes", l.limit)
	}
	if int64(len(p)) > l.left {
		p = p[:l.left]
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	return n, err
}
