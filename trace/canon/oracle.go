package canon

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gowebpki/jcs"
)

// OracleLimit is the size in bytes (32 MiB) above which OracleCheck does not run: the oracle needs some 40 µs and
// 200 allocations per kB (measured; design: canonical values).
const OracleLimit = 32 << 20

// What OracleCheck can say besides nil.
var (
	// ErrOracleSkipped: the text is above OracleLimit and was not checked. Whoever prints a hash says so.
	ErrOracleSkipped = errors.New("canonical form not checked a second way: the text is above 32 MiB")
	// ErrOracleDiffers: the text is not what gowebpki/jcs makes of it. No hash of it may be printed.
	ErrOracleDiffers = errors.New("two canonicalisers disagree")
)

// OracleCheck asks an independent RFC 8785 implementation (gowebpki/jcs) whether a text is canonical. It returns nil,
// ErrOracleSkipped, or an error that wraps ErrOracleDiffers and names the first byte that differs. It is used where
// a hash is printed: at finish, by the hash command, and in replay.
func OracleCheck(canonical []byte) error {
	if len(canonical) > OracleLimit {
		return ErrOracleSkipped
	}
	want, err := jcs.Transform(canonical)
	if err != nil {
		return fmt.Errorf("%w: gowebpki/jcs refuses the text: %w", ErrOracleDiffers, err)
	}
	if bytes.Equal(canonical, want) {
		return nil
	}
	i := 0
	for i < len(want) && i < len(canonical) && want[i] == canonical[i] {
		i++
	}
	return fmt.Errorf("%w at byte %d of %d: %s here, %s by gowebpki/jcs", ErrOracleDiffers, i, len(canonical),
		around(canonical, i), around(want, i))
}

// OracleCheck is OracleCheck of the value's text; an absent value has nothing to check.
func (v Value) OracleCheck() error {
	if v.text == "" {
		return nil
	}
	return OracleCheck(bytesOf(v.text))
}

// around is a quoted piece of text that begins a little before byte i.
func around(text []byte, i int) string {
	from := max(0, i-10)
	return quoted(string(text[from:min(len(text), i+20)]))
}
