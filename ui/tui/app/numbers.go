package app

import (
	"fmt"
	"math"
	"strings"
)

// money writes an amount in 1e-9 dollars with its sign: "$0.0021", at most six decimals, at least two.
func money(nano int64) string { return "$" + dollars(nano) }

// dollars is money without the sign of the currency.
func dollars(nano int64) string {
	sign := ""
	if nano < 0 {
		sign = "-"
	}
	micro := math.Round(math.Abs(float64(nano)) / 1e3)
	s := fmt.Sprintf("%.6f", micro/1e6)
	if micro == 0 && nano != 0 {
		s = "0.000001" // less than can be shown is not nothing
		sign += "<"
	}
	for strings.HasSuffix(s, "0") && len(s)-strings.IndexByte(s, '.') > 3 {
		s = s[:len(s)-1]
	}
	return sign + s
}

// count writes a number of tokens; foreign traces may hold fractions.
func count(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return fmt.Sprintf("%d", int64(f))
	}
	return fmt.Sprintf("%.4g", f)
}
