#!/usr/bin/env bash
# One short live run of the EDA examples with the tools that are installed: about five seconds after compilation. What is not
# installed is said and skipped.
set -uo pipefail
cd "$(dirname "$0")/.."
missing=()
for tool in yosys nextpnr-ice40 icetime sta; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
[ -e /usr/share/qflow/tech/osu035/osu035_stdcells.lib ] || missing+=(qflow-tech-osu035)
if [ ${#missing[@]} -gt 0 ]; then
  echo "not installed: ${missing[*]}; what needs them is skipped"
  echo "apt-get install -y --no-install-recommends yosys nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb opensta qflow-tech-osu035"
fi
rc=0
go test -count=1 -v -run 'TestLive' ./examples/ice40/server || rc=1
go test -count=1 -v -run 'TestWhatIf|TestRefusals' ./examples/sizer/server || rc=1
go test -count=1 -v -run 'TestRunAgain' ./ui/cli/reproduce || rc=1
exit $rc
