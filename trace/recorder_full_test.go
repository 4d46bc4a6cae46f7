//go:build unix

package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// recorderHelper is the name of a variable that turns the next test into a process whose files cannot grow above its
// value.
const recorderHelper = "FLOWDBG_TEST_FILE_LIMIT"

// A disk that is full: the write that failed is taken back, the file stays valid, the error names it, and nothing is
// taken after it. The limit on file sizes stands for the disk, because it too lets a write succeed in part.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(recorderHelper); dir != "" {
		fullDisk(t, dir)
		return
	}
	if testing.Short() {
		t.Skip("starts another process")
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), recorderHelper+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "full as expected") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func fullDisk(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	events := genEvents(t, 200)
	for i, batch := range []int{0, 3000} {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 10_000, Max: 10_000}); err != nil {
			t.Fatal(err)
		}
		r := mustRecorder(t, filepath.Join(dir, fmt.Sprint(i)), RecorderOptions{Batch: batch})
		var err error
		taken := 0
		for k := range events {
			if err = r.Append(&events[k]); err != nil {
				break
			}
			taken++
		}
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), r.Path()) {
			t.Fatalf("behind %d events: %v", taken, err)
		}
		if again := r.Append(&events[0]); again != err {
			t.Fatalf("then %v", again)
		}
		path, _ := r.Abandon()
		data, rerr := os.ReadFile(path)
		if rerr != nil || !json.Valid(data) {
			t.Fatalf("%v: not JSON:\n%s", rerr, data)
		}
		tr, rerr := Read(data)
		if rerr != nil || tr.Tear != nil || batch == 0 && len(tr.Events) != taken || len(tr.Events) < taken/2 {
			t.Fatalf("%v: %d events of %d, %v", rerr, len(tr.Events), taken, tr.Tear)
		}
	}
	fmt.Println("full as expected")
}
