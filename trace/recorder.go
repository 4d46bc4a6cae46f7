package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Recorder writes a trace while it happens. The file is the seed's array, and valid JSON after every write that
// completed: each one replaces the array's end by ",\n<event>\n]\n". A crash leaves what was written before, and at
// worst one event that is cut off, which reading recovers from.
//
// The file lies beside its target, under Recording's name, until Finish puts it in the target's place. A Recorder
// belongs to one goroutine. After an error it refuses everything but Abandon: a run must not go on unrecorded.
type Recorder struct {
	f      *os.File
	path   string
	target string
	opt    RecorderOptions
	end    int64  // where the next event goes: over the array's end
	length int64  // bytes of the file
	buf    []byte // events that are not written yet
	count  int
	synced time.Time
	dirty  bool // something was written and not synced
	err    error
}

// RecorderOptions say how a Recorder writes. The zero value writes every event at once, as an array.
type RecorderOptions struct {
	Format  Format        // FormatArray when empty
	Batch   int           // hold up to so many bytes of events back for one write; 0: write each event
	SyncGap time.Duration // sync at most so often where nothing asks for it; 0: a second, below 0: never
}

// BatchBytes is a good size of one write when nobody watches the file.
const BatchBytes = 64 << 10

// recordingSuffix marks a recording that did not reach its target yet.
const recordingSuffix = ".recording"

// arrayEnd closes the array after every write.
const arrayEnd = "\n]\n"

// IsRecording is true for the name of a recording that did not reach its target, and gives that target.
func IsRecording(path string) (target string, ok bool) {
	target, n := recordingNumber(path)
	return target, n > 0
}

// recordingNumber takes a recording's name apart; n is 0 for any other name.
func recordingNumber(path string) (target string, n int) {
	i := strings.LastIndex(path, recordingSuffix)
	if i <= 0 {
		return "", 0
	}
	rest := path[i+len(recordingSuffix):]
	if rest == "" {
		return path[:i], 1
	}
	n, err := strconv.Atoi(strings.TrimPrefix(rest, "."))
	if err != nil || n < 2 || rest[0] != '.' {
		return "", 0
	}
	return path[:i], n
}

// Recordings lists the recordings beside a target that did not reach it, in the order in which they were begun.
func Recordings(target string) []string {
	list, _ := recordings(target)
	return list
}

// recordings gives the highest number too.
func recordings(target string) (list []string, last int) {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return nil, 0
	}
	byNumber := map[int]string{}
	for _, e := range entries {
		if of, n := recordingNumber(e.Name()); n > 0 && of == filepath.Base(target) {
			byNumber[n] = filepath.Join(filepath.Dir(target), e.Name())
			last = max(last, n)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		list = append(list, byNumber[n])
	}
	return list, last
}

func recordingName(target string, n int) string {
	if n == 1 {
		return target + recordingSuffix
	}
	return target + recordingSuffix + "." + strconv.Itoa(n)
}

// NewRecorder makes a new file beside the target: target.recording, or target.recording.2 and so on where older
// recordings lie, which are never touched. The target may exist; it is replaced when the recording is finished.
func NewRecorder(target string, opt RecorderOptions) (*Recorder, error) {
	if opt.Format == "" {
		opt.Format = FormatArray
	}
	if opt.SyncGap == 0 {
		opt.SyncGap = time.Second
	}
	if st, err := os.Stat(target); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: a recording could not take its place", target)
	}
	_, last := recordings(target)
	for n := last + 1; ; n++ {
		path := recordingName(target, n)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("making %s: %w", filepath.Base(path), plainError(err))
		}
		r := &Recorder{f: f, path: path, target: target, opt: opt, synced: time.Now()}
		if err := r.begin(); err != nil {
			f.Close()
			os.Remove(path)
			return nil, err
		}
		return r, nil
	}
}

// begin writes the empty array.
func (r *Recorder) begin() error {
	if r.opt.Format != FormatArray {
		return nil
	}
	n, err := r.f.WriteAt([]byte("["+arrayEnd), 0)
	r.end, r.length = 1, int64(n)
	return r.failed(err)
}

// Path is the file that is written; Target the one whose place it takes.
func (r *Recorder) Path() string   { return r.path }
func (r *Recorder) Target() string { return r.target }

// Err is the error that the recorder stopped at, nil as long as it works.
func (r *Recorder) Err() error {
	if r.err == errFinished {
		return nil
	}
	return r.err
}

// Len is how many events were appended.
func (r *Recorder) Len() int { return r.count }

// Append adds an event. Without batching it is in the file when Append returns, so that it survives the end of the
// process; only Sync makes it survive the machine's.
func (r *Recorder) Append(e *Event) error {
	if r.err != nil {
		return r.err
	}
	if r.opt.Format == FormatArray {
		if r.count > 0 {
			r.buf = append(r.buf, ',')
		}
		r.buf = append(r.buf, '\n')
	}
	r.buf = e.AppendJSON(r.buf)
	if r.opt.Format != FormatArray {
		r.buf = append(r.buf, '\n')
	}
	r.count++
	if len(r.buf) < r.opt.Batch {
		return nil
	}
	return r.Flush()
}

// Flush writes what was held back, and syncs when that was not done for a while.
func (r *Recorder) Flush() error {
	if err := r.write(); err != nil || r.opt.SyncGap < 0 || !r.dirty {
		return err
	}
	if now := time.Now(); now.Sub(r.synced) >= r.opt.SyncGap {
		return r.Sync()
	}
	return nil
}

// write writes what was held back in one call.
func (r *Recorder) write() error {
	if r.err != nil || len(r.buf) == 0 {
		return r.err
	}
	size := len(r.buf)
	if r.opt.Format == FormatArray {
		r.buf = append(r.buf, arrayEnd...)
	}
	if _, err := r.f.WriteAt(r.buf, r.end); err != nil {
		r.takeBack()
		return r.failed(err)
	}
	r.dirty = true
	r.end += int64(size)
	r.length = r.end
	if r.opt.Format == FormatArray {
		r.length += int64(len(arrayEnd))
	}
	r.buf = r.buf[:0]
	return nil
}

// takeBack makes the file what it was before a write that failed, as far as that can be done: the room for its old end
// is there already. How much was written is not known: os.File counts only whole writes.
func (r *Recorder) takeBack() {
	if r.opt.Format == FormatArray {
		if _, err := r.f.WriteAt([]byte(arrayEnd), r.end); err != nil {
			return
		}
	}
	_ = r.f.Truncate(r.length)
}

// failed keeps the first error.
func (r *Recorder) failed(err error) error {
	if err != nil && r.err == nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		r.err = fmt.Errorf("recording to %s: %w", r.path, err)
	}
	return r.err
}

// Sync writes what was held back and makes the file survive a crash of the machine (fdatasync where there is one).
func (r *Recorder) Sync() error {
	if err := r.write(); err != nil {
		return err
	}
	if !r.dirty {
		return nil
	}
	err := dataSync(r.f)
	r.dirty, r.synced = false, time.Now()
	return r.failed(err)
}

// Finish syncs the file and puts it in the target's place; the folder is synced too. A target that exists gives its
// mode.
func (r *Recorder) Finish() error {
	err := r.Sync()
	if err == nil {
		if st, serr := os.Stat(r.target); serr == nil {
			err = r.f.Chmod(st.Mode().Perm())
		}
	}
	if cerr := r.f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(r.path, r.target)
	}
	if err == nil {
		syncFolder(filepath.Dir(r.target))
	}
	if err != nil {
		return r.failed(err)
	}
	r.err = errFinished
	return nil
}

var errFinished = errors.New("the recording is finished")

// Abandon writes what was held back, closes the file and leaves it where it is, under the name that it returns. An
// empty recording is removed, and the name is "" then.
func (r *Recorder) Abandon() (path string, err error) {
	if r.err == nil {
		err = r.Sync()
	}
	if cerr := r.f.Close(); err == nil {
		err = cerr
	}
	r.err = errFinished
	if r.end <= 1 {
		return "", os.Remove(r.path)
	}
	return r.path, err
}

// Discard closes the file and removes it: nothing in it is worth keeping.
func (r *Recorder) Discard() error {
	err := r.f.Close()
	r.err = errFinished
	return errors.Join(err, os.Remove(r.path))
}

// syncFolder makes a rename survive a crash of the machine. Not every file system can; what was renamed is whole in
// either case.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
