package canon

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// lines gives the lines of a testdata file that are neither empty nor comments.
func lines(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		if !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// TestCases runs every line of jcs_cases.tsv through Parse, ParseString, ParseDoc and the oracle.
func TestCases(t *testing.T) {
	accepted, rejected := 0, 0
	for i, line := range lines(t, "jcs_cases.tsv") {
		inHex, wantHex, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("line %d has no tab: %q", i+1, line)
		}
		in, err := hex.DecodeString(inHex)
		if err != nil {
			t.Fatal(err)
		}
		if wantHex == "REJECT" {
			rejected++
			t.Run(fmt.Sprintf("reject %d %q", i, in), func(t *testing.T) { checkReject(t, in) })
			continue
		}
		want, err := hex.DecodeString(wantHex)
		if err != nil {
			t.Fatal(err)
		}
		accepted++
		t.Run(fmt.Sprintf("accept %d %q", i, in), func(t *testing.T) { checkAccept(t, in, string(want)) })
	}
	if accepted < 60 || rejected < 90 {
		t.Errorf("only %d accepting and %d rejecting cases", accepted, rejected)
	}
}

func checkReject(t *testing.T, in []byte) {
	v, _, err := Parse(in, Options{Integers: IntegersAccept})
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("Parse = %q, %v; want an *Error", v, err)
	}
	if e.Line < 1 || e.Col < 1 || e.What == "" || e.Want == "" || e.Code == "" || !v.IsAbsent() {
		t.Errorf("incomplete error %+v with value %q", e, v)
	}
	if _, errs := ParseDoc(in); len(errs) == 0 {
		t.Error("ParseDoc accepts it")
	}
}

func checkAccept(t *testing.T, in []byte, want string) {
	v, _, err := Parse(in, Options{Integers: IntegersAccept})
	if err != nil || v.Text() != want {
		t.Fatalf("Parse = %q, %v; want %q", v, err, want)
	}
	if s, _, err := ParseString(string(in), Options{Integers: IntegersAccept}); err != nil || s != v {
		t.Errorf("ParseString = %q, %v; want %q", s, err, want)
	}
	if err := v.OracleCheck(); err != nil {
		t.Error(err)
	}
	d, errs := ParseDoc(in)
	for _, e := range errs {
		if e.Code != CodeBigInteger {
			t.Errorf("ParseDoc: %v", e)
		}
	}
	if got := d.Root.Value(); got != v {
		t.Errorf("ParseDoc value = %q, want %q", got, want)
	}
}

// moduleDir finds the directory of a module in the module cache.
func moduleDir(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Skipf("the sources of module %s are missing (go list: %v)", path, err)
	}
	return dir
}

// TestOfficialPairs runs the input/output pairs of the JCS reference, which ship with gowebpki/jcs.
func TestOfficialPairs(t *testing.T) {
	dir := filepath.Join(moduleDir(t, "github.com/gowebpki/jcs"), "testdata")
	inputs, err := filepath.Glob(filepath.Join(dir, "input", "*.json"))
	if err != nil || len(inputs) == 0 {
		t.Skipf("no input files in %s (%v)", dir, err)
	}
	for _, input := range inputs {
		name := filepath.Base(input)
		t.Run(name, func(t *testing.T) {
			in, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(dir, "output", name))
			if err != nil {
				t.Fatal(err)
			}
			checkAccept(t, in, string(bytes.TrimSpace(want)))
		})
	}
}

// doubles yields the sequence of RFC 8785's number generator: a fixed list, 2000 bit patterns upward from the smallest
// normal number, then a chain of SHA-256 sums, each read as four little-endian doubles, without zeros, NaN and
// infinities. yield returns false to stop.
func doubles(t testing.TB, yield func(float64) bool) {
	for _, f := range fixedDoubles(t) {
		if !yield(f) {
			return
		}
	}
	for i := range uint64(2000) {
		if !yield(math.Float64frombits(0x0010000000000000 + i)) {
			return
		}
	}
	var block [sha256.Size]byte
	for {
		block = sha256.Sum256(block[:])
		for i := 0; i < len(block); i += 8 {
			f := math.Float64frombits(binary.LittleEndian.Uint64(block[i:]))
			if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

func fixedDoubles(t testing.TB) []float64 {
	var all, block []float64
	for _, line := range lines(t, "numgen_doubles.txt") {
		switch {
		case line == "[negated]":
			for _, f := range block {
				all = append(all, -f)
			}
			block = nil
		case strings.HasPrefix(line, "["):
			block = nil
		default:
			f, err := strconv.ParseFloat(line, 64)
			if err != nil {
				t.Fatal(err)
			}
			all, block = append(all, f), append(block, f)
		}
	}
	return all
}

// TestNumberGenerator compares the sha256 of the first n lines "bits,text" with the published sums.
func TestNumberGenerator(t *testing.T) {
	sums := map[int]string{
		1_000:     "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687",
		10_000:    "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
		100_000:   "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7",
		1_000_000: "49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16",
	}
	last := 1_000_000
	if testing.Short() {
		last = 100_000
	}
	hash := sha256.New()
	out := bufio.NewWriterSize(hash, 1<<16)
	var line []byte
	n, checked := 0, 0
	doubles(t, func(f float64) bool {
		line = strconv.AppendUint(line[:0], math.Float64bits(f), 16)
		line = AppendFloat(append(line, ','), f)
		line = append(line, '\n')
		_, _ = out.Write(line)
		n++
		if want, ok := sums[n]; ok {
			_ = out.Flush()
			checked++
			if got := hex.EncodeToString(hash.Sum(nil)); got != want {
				t.Errorf("first %d lines: sha256 %s, want %s", n, got, want)
				return false
			}
		}
		return n < last
	})
	if checked < 3 {
		t.Errorf("only %d sums were compared", checked)
	}
}

// TestNumbersReadBack reads the generator's numbers as text: canonical ones are shared as they are, and every one
// reads back as the same double.
func TestNumbersReadBack(t *testing.T) {
	n := 0
	doubles(t, func(f float64) bool {
		n++
		text := string(AppendFloat(nil, f))
		v, _, err := ParseString(text, Options{Integers: IntegersAccept})
		if err != nil || v.Text() != text {
			t.Errorf("%x: Parse(%s) = %s, %v", math.Float64bits(f), text, v, err)
			return false
		}
		if got, ok := v.Float(); !ok || got != f {
			t.Errorf("%s reads back as %v", text, got)
			return false
		}
		long := strconv.FormatFloat(f, 'e', 30, 64)
		if v, _, err := ParseString(long, Options{Integers: IntegersAccept}); err != nil || v.Text() != text {
			t.Errorf("Parse(%s) = %s, %v; want %s", long, v, err, text)
			return false
		}
		return n < 20_000
	})
}
