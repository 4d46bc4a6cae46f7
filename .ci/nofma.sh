#!/bin/sh
# The state hash sees the last bit of every sum of money, so no build may fuse a multiplication with an addition. The
# price and ledger functions are compiled for processors that can, and their machine code is searched. Then the golden
# hashes are computed by a build for GOAMD64=v3, where this machine can run it. Needs no network.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

functions='engine/effect\.Price\.Cost|engine/effect/price\.Price\.USD|trace\.Ledger\.Add|trace\.\(\*Budget\)\.Exceeded|trace\.NanoUSD|trace\.Ledger\.Tokens|trace\.Usage\.Tokens'
fused='F(N)?M(ADD|SUB)[SD]|VFN?M(ADD|SUB)[0-9]*[SP][SD]'

# The functions must be there, and no function of their packages may fuse: they may be inlined anywhere.
check() { # name, environment…
	name=$1
	shift
	env "$@" go build -gcflags='flowdbg/engine/effect=-S' -gcflags='flowdbg/engine/effect/price=-S' -gcflags='flowdbg/trace=-S' ./engine/effect ./engine/effect/price ./trace 2>"$work/asm"
	for f in $(echo "$functions" | tr '|' ' '); do
		grep -Eq "^flowdbg/$f STEXT" "$work/asm" || { echo "nofma: $name: no code for $f was printed" >&2; exit 1; }
	done
	if awk '/ STEXT /{fn=$1} /\t/{print fn": "$0}' "$work/asm" | grep -E "[[:space:]]($fused)[[:space:]]" >"$work/hits"; then
		echo "nofma: $name: fused instructions in" >&2
		cut -d: -f1 "$work/hits" | sort | uniq -c >&2
		exit 1
	fi
	echo "nofma: $name: $(grep -c ' STEXT ' "$work/asm") functions, none fused"
}

# The search itself must find a fused instruction where there is one.
mkdir "$work/probe"
printf 'module probe\ngo 1.26\n' >"$work/probe/go.mod"
printf 'package probe\n\nfunc Fuse(a, b, c float64) float64 { return a*b + c }\n' >"$work/probe/probe.go"
for build in "GOARCH=arm64" "GOARCH=amd64 GOAMD64=v3"; do
	(cd "$work/probe" && env $build go build -gcflags=-S . 2>&1) | grep -Eq "[[:space:]]($fused)[[:space:]]" ||
		{ echo "nofma: the search does not see a fused instruction ($build)" >&2; exit 1; }
done

check arm64 GOOS=linux GOARCH=arm64
check 'amd64 v3' GOOS=linux GOARCH=amd64 GOAMD64=v3

if [ "$(go env GOHOSTARCH)" != amd64 ]; then
	echo "nofma: golden hashes of GOAMD64=v1 and v3 are not compared: this machine is $(go env GOHOSTARCH)"
	exit 0
fi
GOAMD64=v1 go test -count=1 -run 'TestRules|TestCost|TestBudget|TestLedger' ./engine ./engine/effect ./trace
if grep -qw avx2 /proc/cpuinfo 2>/dev/null && grep -qw bmi2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
	GOAMD64=v3 go test -count=1 -run 'TestRules|TestCost|TestBudget|TestLedger' ./engine ./engine/effect ./trace
	echo "nofma: golden hashes are the same with GOAMD64=v1 and v3"
else
	echo "nofma: golden hashes of GOAMD64=v3 are not compared: this processor lacks AVX2, BMI2 or FMA"
fi
