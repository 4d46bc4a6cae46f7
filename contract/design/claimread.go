package design

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// maxClaimBytes bounds a claim in JSON: 256 MiB.
const maxClaimBytes = 256 << 20

// ReadClaims reads what a source claims. By content: a Proposal (its expected_delta), a DesignDelta, a tool result whose value
// is one, the JSON of an iEDA tool, an object of {quantity: number}, or the log of OpenROAD or nextpnr.
func ReadClaims(source string, r io.Reader) (Claim, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(512)
	if err != nil && err != io.EOF {
		return Claim{}, fmt.Errorf("reading claims: %w", err)
	}
	c := Claim{Source: source}
	if text := bytes.TrimSpace(head); len(text) == 0 || text[0] != '{' {
		err := c.readLog(in)
		return c, err
	}
	data, err := io.ReadAll(io.LimitReader(in, maxClaimBytes+1))
	if err != nil {
		return c, fmt.Errorf("reading claims: %w", err)
	}
	if len(data) > maxClaimBytes {
		return c, fmt.Errorf("claims longer than %d bytes", maxClaimBytes)
	}
	doc, _, err := canon.Parse(data, canon.Options{Integers: canon.IntegersAsString})
	if err != nil {
		return c, jsonFault(err)
	}
	return c, c.readDocument(doc)
}

func jsonFault(err error) error {
	var e *canon.Error
	if errors.As(err, &e) {
		return &SyntaxError{Line: e.Line, Col: e.Col, What: e.What, Want: e.Want}
	}
	return err
}

func (c *Claim) readDocument(doc canon.Value) error {
	if parent, ok := doc.Get("parent_snap").Str(); ok && !doc.Get("expected_delta").IsAbsent() {
		c.Parent = contract.SnapshotRef(parent)
	}
	for _, member := range []string{"expected_delta", "delta", "value"} {
		if d := doc.Get(member); isDelta(d) {
			return c.readDelta(d)
		}
	}
	if isDelta(doc) {
		return c.readDelta(doc)
	}
	for key, v := range doc.Members() {
		if v.Kind() == canon.KindObject {
			c.readIEDA(v)
		} else if knownQuantity(key) && v.Kind() == canon.KindNumber {
			c.Values = append(c.Values, ClaimedValue{key, v.Text(), key})
		}
	}
	if len(c.Values) == 0 {
		return &SyntaxError{Line: 1, Col: 1, What: "no claim in this JSON", Want: "a proposal, a DesignDelta, an iEDA tool's JSON or {\"" + QHPWL + "\": 628}"}
	}
	return nil
}

// isDelta tells a DesignDelta by any of the members that only it has.
func isDelta(v canon.Value) bool {
	if v.Kind() != canon.KindObject {
		return false
	}
	for _, lm := range listMembers {
		if v.Get(lm.member).Kind() == canon.KindArray {
			return true
		}
	}
	return false
}

func (c *Claim) readDelta(v canon.Value) error {
	var d contract.DesignDelta
	if err := json.Unmarshal([]byte(v.Text()), &d); err != nil {
		return fmt.Errorf("the claimed delta: %w", err)
	}
	c.Delta, c.lists = &d, map[string]bool{}
	for key := range v.Members() {
		c.lists[key] = true
	}
	return nil
}

// iedaMembers are the members of iEDA's tool JSON that say something about the design. Its lengths are in database units.
var iedaMembers = []struct{ pointer, quantity string }{
	{"/buffer_num", QAdded}, {"/instance_cnt", QCellsAfter}, {"/net_cnt", QNetsAfter}, {"/fix_inst_cnt", QFixedAfter},
	{"/dplace/HPWL", QHPWLDBU}, {"/HPWL", QHPWLDBU}, {"/max_movement", qMovementDBU}, {"/total_movement", qTotalMoveDBU},
}

func (c *Claim) readIEDA(step canon.Value) {
	for _, m := range iedaMembers {
		v, err := step.Pointer(m.pointer)
		if err == nil && v.Kind() == canon.KindNumber {
			c.Values = append(c.Values, ClaimedValue{m.quantity, v.Text(), strings.TrimPrefix(m.pointer, "/")})
		}
	}
}

// Lines of tool logs. How often a quantity may add up: OpenROAD reports insertions per step, and a log begins with the size
// of what was read.
var logLines = []struct {
	re       *regexp.Regexp
	quantity string
	how      logRule
}{
	{regexp.MustCompile(`^\[INFO RSZ-\d+\] (?:Inserted|Cloned) (\d+) `), QAdded, logSum},
	{regexp.MustCompile(`^\[INFO CTS-\d+\]\s+Created (\d+) clock buffers`), QAdded, logSum},
	{regexp.MustCompile(`^\[INFO DPL-\d+\]\s+Placed (\d+) filler instances`), QAdded, logSum},
	{regexp.MustCompile(`^\[INFO TAP-\d+\]\s+Inserted (\d+) (?:tap ?cells|endcaps)`), QAdded, logSum},
	{regexp.MustCompile(`^\[INFO RSZ-\d+\] Removed (\d+) buffers`), QRemoved, logSum},
	{regexp.MustCompile(`^\[INFO RSZ-\d+\] Resized (\d+) instances`), QResized, logSum},
	{regexp.MustCompile(`^\[INFO ODB-\d+\]\s+(?:Created|Updated) (\d+) components`), QCellsBefore, logFirst},
	{regexp.MustCompile(`^\[INFO ODB-\d+\]\s+(?:Created|Updated) (\d+) nets`), QNetsBefore, logFirst},
	{regexp.MustCompile(`^total displacement\s+([0-9.]+) u$`), QSumDisp, logLast},
	{regexp.MustCompile(`^max displacement\s+([0-9.]+) u$`), QMaxDisp, logLast},
	{regexp.MustCompile(`^original HPWL\s+([0-9.]+) u$`), QHPWLBefore, logFirst},
	{regexp.MustCompile(`^legalized HPWL\s+([0-9.]+) u$`), QHPWL, logLast},
	{regexp.MustCompile(`\bwirelen = (\d+)\b`), QHPWL, logLast},
}

type logRule uint8

const (
	logSum logRule = iota
	logFirst
	logLast
)

func (c *Claim) readLog(in *bufio.Reader) error {
	at := map[string]int{} // quantity → index into Values plus one
	for {
		line, err := readLine(in)
		if err != nil && err != io.EOF {
			return fmt.Errorf("reading a log: %w", err)
		}
		for _, l := range logLines {
			if m := l.re.FindStringSubmatch(line); m != nil {
				c.logValue(at, l.quantity, m[1], strings.TrimSpace(line), l.how)
			}
		}
		if err == io.EOF {
			break
		}
	}
	if len(c.Values) == 0 {
		return &SyntaxError{What: "no claim in this log", Want: "a log of OpenROAD (RSZ, DPL, CTS, TAP, ODB) or nextpnr (wirelen = …)"}
	}
	return nil
}

// readLine reads one line; what is beyond 64 KiB of a line is dropped.
func readLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	text := strings.TrimRight(string(line), "\r\n")
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	return text, err
}

func (c *Claim) logValue(at map[string]int, quantity, text, line string, how logRule) {
	i := at[quantity]
	if i == 0 {
		c.Values = append(c.Values, ClaimedValue{quantity, text, line})
		at[quantity] = len(c.Values)
		return
	}
	v := &c.Values[i-1]
	switch how {
	case logLast:
		v.Text, v.From = text, line
	case logSum:
		a, errA := strconv.ParseInt(v.Text, 10, 64)
		b, errB := strconv.ParseInt(text, 10, 64)
		if errA == nil && errB == nil {
			v.Text = strconv.FormatInt(a+b, 10)
			v.From += "; " + line
		}
	}
}
