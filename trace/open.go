package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// OpenOptions say how a trace is opened. The zero value is fine.
type OpenOptions struct {
	MemoryBytes int64  // up to so many bytes a trace is read into memory whole; 0: 32 MiB, below 0: none is
	MaxBytes    int64  // bound of what gzip inflates to and of what a pipe gives; 0: 64 GiB
	TempDir     string // where inflated and spooled text goes, "" = the system's
	Follow      bool   // the file may grow while it is open: it is never read into memory whole
	Progress    func(done, total int64) error
	Store       StoreOptions
}

// Defaults of OpenOptions.
const (
	defaultMemoryBytes = 32 << 20
	defaultMaxBytes    = 64 << 30
)

// Opened is an open trace: in memory when it is small, else a Store whose file is still to be indexed (Advance).
// Exactly one of Trace and Store is set.
type Opened struct {
	Name  string // for messages
	Path  string // the file that was named, "" for a stream
	Trace *Trace
	Store *Store
	notes []Finding
}

// FindGzip is the kind of finding about compressed text that ends too early or has a wrong checksum.
const FindGzip = "gzip"

// Open opens a trace: an array in any layout or JSON Lines, plain or gzip (told by content), a regular file or a pipe.
// Nothing is written but, for gzip and pipes that are too large for memory, a private temporary file, which has no name
// any more when Open returns (on systems that allow it) and is gone when the trace is closed. The error is about the
// file system, or a *ReadError.
func Open(path string, opt OpenOptions) (*Opened, error) {
	m, err := openMaterial(path, opt)
	if err != nil {
		return nil, err
	}
	return m.open(path, path, opt)
}

// openMaterial finds the text of a file.
func openMaterial(path string, opt OpenOptions) (*material, error) {
	opt = opt.filled()
	f, err := os.Open(path)
	if err != nil {
		return nil, plainError(err)
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = errors.New("this is a folder; give a file in it")
	}
	if err != nil {
		f.Close()
		return nil, plainError(err)
	}
	if !st.Mode().IsRegular() {
		defer f.Close()
		return stream(f, -1, opt)
	}
	return regular(f, path, st.Size(), opt)
}

// OpenReader opens a trace that comes from a stream, to its end. name is for messages.
func OpenReader(r io.Reader, name string, opt OpenOptions) (*Opened, error) {
	m, err := stream(r, -1, opt.filled())
	if err != nil {
		return nil, err
	}
	return m.open(name, "", opt)
}

func (opt OpenOptions) filled() OpenOptions {
	if opt.MemoryBytes == 0 {
		opt.MemoryBytes = defaultMemoryBytes
	}
	if opt.MaxBytes == 0 {
		opt.MaxBytes = defaultMaxBytes
	}
	return opt
}

// plainError takes operation and path out of an error straight from the file system: the caller names the file.
func plainError(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

// material is the text of a trace: in memory, or in a file that is read in pieces.
type material struct {
	data    []byte
	file    *os.File // nil: data
	path    string
	size    int64
	private bool   // the file is a temporary one of ours
	remove  string // its name, when that could not be taken away yet
	notes   []Finding
}

func (m *material) at() io.ReaderAt {
	if m.file != nil {
		return m.file
	}
	return bytes.NewReader(m.data)
}

func (m *material) close() error {
	if m.file == nil {
		return nil
	}
	err := m.file.Close()
	if m.remove != "" {
		os.Remove(m.remove)
	}
	return err
}

func (m *material) open(name, path string, opt OpenOptions) (*Opened, error) {
	o := &Opened{Name: name, Path: path, notes: m.notes}
	var err error
	if m.file == nil {
		o.Trace, err = Read(m.data)
		return o, err
	}
	if o.Store, err = storeOver(m.file, m.path, m.size, opt.Store); err != nil {
		_ = m.close()
		return nil, err
	}
	o.Store.private, o.Store.remove = m.private, m.remove
	return o, nil
}

var gzipMagic = []byte{0x1f, 0x8b}

// regular takes over an open file; it is closed when its text is in memory or somewhere else.
func regular(f *os.File, path string, size int64, opt OpenOptions) (*material, error) {
	head := make([]byte, 2)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		f.Close()
		return nil, plainError(err)
	}
	if bytes.Equal(head[:n], gzipMagic) {
		defer f.Close()
		return stream(f, size, opt)
	}
	if size > opt.MemoryBytes || opt.Follow {
		return &material{file: f, path: path, size: size}, nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, opt.MemoryBytes+1))
	if err != nil {
		return nil, plainError(err)
	}
	return &material{data: data, size: int64(len(data))}, nil
}

// stream reads a stream to its end, into memory or a temporary file; total is its length in bytes, or −1.
func stream(r io.Reader, total int64, opt OpenOptions) (*material, error) {
	in := &counted{r: r, total: total, tell: opt.Progress}
	b := bufio.NewReaderSize(in, 256<<10)
	head, err := b.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, plainError(err)
	}
	if !bytes.Equal(head, gzipMagic) {
		m, err := spool(b, opt)
		return m, plainError(err)
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("not a whole gzip file: %w", err)
	}
	m, err := spool(z, opt)
	var stopped *stopError
	switch {
	case err == nil:
		return m, nil
	case m == nil || m.size == 0 || errors.As(err, &stopped) || in.err != nil:
		if m != nil {
			_ = m.close()
		}
		return nil, fmt.Errorf("inflating gzip: %w", plainError(err))
	}
	m.notes = append(m.notes, Finding{Kind: FindGzip, Event: -1, Text: fmt.Sprintf("the compressed text is not whole (%v): what could be inflated is shown, %d bytes", err, m.size)})
	return m, nil
}

// stopError is an error of ours while text is spooled: a bound, a full disk, the caller's own.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }
func (e *stopError) Unwrap() error { return e.err }

// counted tells how much of a stream was read.
type counted struct {
	r           io.Reader
	done, total int64
	tell        func(done, total int64) error
	err         error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.done += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	if c.tell != nil && err == nil {
		if terr := c.tell(c.done, c.total); terr != nil {
			err, c.err = &stopError{terr}, terr
		}
	}
	return n, err
}

// spool reads r to its end. On an error of r what came before it is returned too.
func spool(r io.Reader, opt OpenOptions) (*material, error) {
	var b bytes.Buffer
	most := max(0, opt.MemoryBytes)
	n, err := io.Copy(&b, io.LimitReader(r, most+1))
	if n <= most || err != nil {
		return &material{data: b.Bytes(), size: n}, err
	}
	if !beginsLikeJSON(b.Bytes()) {
		return nil, &stopError{errors.New("this is no trace: a JSON array of events or JSON Lines is expected")}
	}
	f, ferr := os.CreateTemp(opt.TempDir, "flowdbg-trace-*") // mode 0600
	if ferr != nil {
		return nil, &stopError{fmt.Errorf("making a temporary file: %w", ferr)}
	}
	m := &material{file: f, path: f.Name(), private: true}
	if os.Remove(f.Name()) != nil { // else nothing is left behind however the process ends
		m.remove = f.Name()
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		_ = m.close()
		return nil, &stopError{fmt.Errorf("writing a temporary file: %w", plainError(err))}
	}
	w := &stopWriter{w: f}
	more, err := io.Copy(w, io.LimitReader(r, opt.MaxBytes-n+1))
	m.size = n + more
	if w.err != nil {
		_ = m.close()
		return nil, &stopError{fmt.Errorf("writing a temporary file: %w", plainError(w.err))}
	}
	if m.size > opt.MaxBytes {
		_ = m.close()
		return nil, &stopError{fmt.Errorf("the text is longer than %s, which is the bound for gzip and pipes", byteText(opt.MaxBytes))}
	}
	return m, err
}

// beginsLikeJSON is false for a text that cannot be a trace by its first character, so that a device that never ends is
// not copied to the disk.
func beginsLikeJSON(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(text) == 0 || text[0] == '[' || text[0] == '{'
}

func byteText(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// stopWriter remembers its error, to tell it from the reader's.
type stopWriter struct {
	w   io.Writer
	err error
}

func (s *stopWriter) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}
