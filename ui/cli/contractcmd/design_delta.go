package contractcmd

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// deltaFlags are the options of delta.
type deltaFlags struct {
	json                       bool
	by, store, die             string
	ignore                     []string
	ignoreMasters, ignoreNames []string
	claimed, claims            []string
	paramsBefore, paramsAfter  string
	moves                      int
	libs                       libraryFlags
}

// deltaReport is what delta says with --json: the measured answer, claims beside it, and alarms.
type deltaReport struct {
	*design.Answer
	Claims []design.ClaimLine `json:"claims,omitempty"`
	Alarms []design.Alarm     `json:"alarms,omitempty"`

	names [2]string
}

func deltaCmd() *cobra.Command {
	var f deltaFlags
	cmd := &cobra.Command{
		Use:   "delta BEFORE AFTER",
		Short: "Measure what changed between two placed designs",
		Long: `Reads two snapshots (DEF, nextpnr's placed JSON, or sha256:… from --store; each also in gzip) and prints the DesignDelta
from BEFORE to AFTER: cells moved, placed, resized, renamed, added and removed, nets added, removed and reconnected, with
displacements (Manhattan, in µm, or tiles for nextpnr), HPWL of both, and the rule by which cells were taken to be the same.

  --by name        cells of the same name are the same (spellings that differ only in escapes are joined and counted)
  --by driven-net  cells that drive the net of the same name are the same; what drives nothing is matched by name. Pin
                   directions come from the file, else from --lef and --lib, else from the usual output pin names.
  --ignore         classes of cells to leave out: fillers, decaps, taps (by the master's name), packer (nextpnr's $PACKER_*)

Areas need --lef, --lib or --areas; without them area_delta is listed as not measured. Kinds are exclusive where names follow
masters: a resized cell that also got a new name is a resize, and its old name is in resized_renames.

--claimed FILE holds a proposal, a DesignDelta, an iEDA tool's JSON or a log of OpenROAD or nextpnr against the recount;
--claim QUANTITY=NUMBER a single number. With --params-before and --params-after (JSON files of the parameters of two runs of
one tool on one input, whose results are BEFORE and AFTER) it raises an alarm when the parameters changed but the result did
not, or the result changed but the parameters did not.

Exit code: 0 measured, 1 a claim does not hold or there is an alarm, 2 not readable or not comparable.`,
		Example: `  flowdbg contract delta gcd_place.def.gz gcd_CTS.def.gz
  flowdbg contract delta f100.def f400.def --by driven-net --ignore fillers --json
  flowdbg contract delta in.def out.def --claimed resize.log --claim resized_cells=13
  flowdbg contract delta s1.json s4.json --params-before p1.json --params-after p4.json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "print one JSON document")
	fl.StringVar(&f.by, "by", string(design.ByName), "identity `rule`: name or driven-net")
	fl.StringSliceVar(&f.ignore, "ignore", nil, "`classes` of cells to leave out: "+strings.Join(design.Classes, ", "))
	fl.StringArrayVar(&f.ignoreMasters, "ignore-master", nil, "leave out cells whose master fits a `pattern` with * and ? (may be repeated)")
	fl.StringArrayVar(&f.ignoreNames, "ignore-name", nil, "leave out cells whose name fits a `pattern` (may be repeated)")
	fl.StringVar(&f.store, "store", "", "`folder` in which sha256:… arguments lie")
	fl.StringArrayVar(&f.claimed, "claimed", nil, "`file` with claims to hold against the recount (may be repeated)")
	fl.StringArrayVar(&f.claims, "claim", nil, "one claim, `QUANTITY=NUMBER` (may be repeated): "+strings.Join(design.Quantities(), ", "))
	fl.StringVar(&f.paramsBefore, "params-before", "", "JSON `file` of the parameters that gave BEFORE")
	fl.StringVar(&f.paramsAfter, "params-after", "", "JSON `file` of the parameters that gave AFTER")
	fl.IntVar(&f.moves, "moves", 10, "how many `rows` of each list the text shows; -1 = all")
	fl.StringVar(&f.die, "map", "braille", "die map of the text: braille, ascii or none")
	f.libs.add(cmd)
	return cmd
}

func (f *deltaFlags) run(cmd *cobra.Command, args []string) error {
	if args[0] == "-" && args[1] == "-" {
		return out.Bad("only one of the two can be standard input")
	}
	if f.die != "braille" && f.die != "ascii" && f.die != "none" {
		return out.Bad("--map %q: want braille, ascii or none", f.die)
	}
	if (f.paramsBefore == "") != (f.paramsAfter == "") {
		return out.Bad("--params-before and --params-after belong together")
	}
	rep, err := f.measure(cmd, args)
	if err != nil {
		return err
	}
	if f.json {
		err = out.JSON(cmd.OutOrStdout(), rep)
	} else {
		err = rep.print(cmd.OutOrStdout(), f)
	}
	if err != nil {
		return err
	}
	if design.AnyDiffers(rep.Claims) || len(rep.Alarms) > 0 {
		return out.No("")
	}
	return nil
}

func (f *deltaFlags) measure(cmd *cobra.Command, args []string) (*deltaReport, error) {
	lib, err := f.libs.read(cmd)
	if err != nil {
		return nil, err
	}
	claims, err := f.readClaims(cmd)
	if err != nil {
		return nil, err
	}
	before, err := readDesign(cmd, args[0], f.store)
	if err != nil {
		return nil, err
	}
	after, err := readDesign(cmd, args[1], f.store)
	if err != nil {
		return nil, err
	}
	a, err := design.Delta(before, after, design.Rule{
		Identity: design.Identity(f.by), Ignore: f.ignore, IgnoreMasters: f.ignoreMasters, IgnoreNames: f.ignoreNames, Library: lib,
	})
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	rep := &deltaReport{Answer: a, Claims: a.Compare(claims), names: [2]string{args[0], args[1]}}
	if f.paramsBefore != "" {
		if rep.Alarms, err = f.alarms(cmd, a); err != nil {
			return nil, err
		}
	}
	return rep, nil
}

func (f *deltaFlags) readClaims(cmd *cobra.Command) ([]design.Claim, error) {
	var claims []design.Claim
	for _, name := range f.claimed {
		r, _, err := openDesign(cmd, name)
		if err != nil {
			return nil, err
		}
		c, err := design.ReadClaims(name, r)
		r.Close()
		if err != nil {
			return nil, designFault(name, err)
		}
		claims = append(claims, c)
	}
	if len(f.claims) > 0 {
		c := design.Claim{Source: "--claim"}
		for _, text := range f.claims {
			v, err := design.ParseClaim(text)
			if err != nil {
				return nil, out.Bad("%w", err)
			}
			c.Values = append(c.Values, v)
		}
		claims = append(claims, c)
	}
	return claims, nil
}

// alarms compares the two runs that gave the snapshots.
func (f *deltaFlags) alarms(cmd *cobra.Command, a *design.Answer) ([]design.Alarm, error) {
	runs := [2]design.Run{
		{Result: a.Before.Snapshot, Wiring: a.Before.Source.Wiring}, {Result: a.After.Snapshot, Wiring: a.After.Source.Wiring},
	}
	for i, name := range []string{f.paramsBefore, f.paramsAfter} {
		r, _, err := openDesign(cmd, name)
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, out.Bad("%s: %w", name, err)
		}
		params, _, err := canon.Parse(data, canon.Options{})
		if err != nil {
			return nil, out.Bad("%s:%w", name, err)
		}
		if runs[i].ParamsHash, err = contract.ParamsHash(params); err != nil {
			return nil, out.Bad("%s: %w", name, err)
		}
	}
	return design.Alarms(runs[0], runs[1]), nil
}
