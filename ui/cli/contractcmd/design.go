package contractcmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/ui/cli/out"
)

// designCmds are the commands over snapshots of a design: delta and snapshot-design.
func designCmds() []*cobra.Command {
	return []*cobra.Command{deltaCmd(), snapshotDesignCmd()}
}

// designFault puts the file's name before an error: `file:line:col: what; want …` where a place is known.
func designFault(name string, err error) error {
	var syn *design.SyntaxError
	if errors.As(err, &syn) && syn.Line > 0 {
		return out.Bad("%s:%w", name, err)
	}
	return out.Bad("%s: %w", name, err)
}

// openDesign opens a file, or standard input for "-". size is 0 when it is not known.
func openDesign(cmd *cobra.Command, name string) (r io.ReadCloser, size int64, err error) {
	if name == "-" {
		return io.NopCloser(cmd.InOrStdin()), 0, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, out.Bad("%w", err)
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return f, size, nil
}

// readDesign reads a snapshot from a file, from standard input ("-"), or from the store (`sha256:…`).
func readDesign(cmd *cobra.Command, name, store string) (*design.Snapshot, error) {
	if strings.HasPrefix(name, "sha256:") {
		if store == "" {
			return nil, out.Bad("%s is in a store: say which with --store DIR", name)
		}
		s, err := design.NewStore(store).Get(contract.SnapshotRef(name))
		if err != nil {
			return nil, designFault(store, err)
		}
		return s, nil
	}
	r, size, err := openDesign(cmd, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s, err := design.Read(r, design.Options{Size: size})
	if err != nil {
		return nil, designFault(name, err)
	}
	return s, nil
}

// libraryFlags name the files that areas, pin directions and pin places come from.
type libraryFlags struct{ lef, lib, areas []string }

func (f *libraryFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.lef, "lef", nil, "LEF `file` with areas, pin directions and pin places of the masters (may be repeated)")
	cmd.Flags().StringArrayVar(&f.lib, "lib", nil, "Liberty `file` with areas and pin directions (may be repeated)")
	cmd.Flags().StringArrayVar(&f.areas, "areas", nil, "`file` of cell areas in µm²: {\"MASTER\": area} or lines MASTER AREA (may be repeated)")
}

// read is nil when no file is named: then nothing is known about any master.
func (f *libraryFlags) read(cmd *cobra.Command) (*design.Library, error) {
	if len(f.lef)+len(f.lib)+len(f.areas) == 0 {
		return nil, nil
	}
	lib := design.NewLibrary()
	for _, part := range []struct {
		names []string
		read  func(io.Reader) error
	}{{f.lef, lib.ReadLEF}, {f.lib, lib.ReadLib}, {f.areas, lib.ReadAreas}} {
		for _, name := range part.names {
			r, _, err := openDesign(cmd, name)
			if err != nil {
				return nil, err
			}
			err = part.read(r)
			r.Close()
			if err != nil {
				return nil, designFault(name, err)
			}
		}
	}
	return lib, nil
}

// snapshotReport is what snapshot-design says with --json.
type snapshotReport struct {
	File string `json:"file"`
	design.SnapshotInfo
	HPWL   design.HPWL `json:"hpwl"`
	Stored string      `json:"stored,omitempty"`
}

func snapshotDesignCmd() *cobra.Command {
	var asJSON, model bool
	var store string
	var libs libraryFlags
	cmd := &cobra.Command{
		Use:   "snapshot-design FILE",
		Short: "Read a placed design and name it by its content",
		Long: `Reads a DEF (OpenROAD's, iEDA's or qflow's), nextpnr's placed JSON, or a stored snapshot, each also in gzip, and
prints its content hash: sha256 over the canonical JSON (RFC 8785) of cells, places, ports and connections. The hash does
not depend on the order of the file, on comments, or on what "left out" lists (routing among it, which has a hash of its own).

--store DIR keeps the canonical text as DIR/<hash>, so that sha256sum of the file is its name, and the file's own hash and
what was left out beside it.

Exit code: 0 read, 2 not readable.`,
		Example: `  flowdbg contract snapshot-design gcd_place.def.gz
  flowdbg contract snapshot-design placed.json --store run1/snaps --json
  flowdbg contract snapshot-design gcd.def --model | sha256sum`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			lib, err := libs.read(cmd)
			if err != nil {
				return err
			}
			s, err := readDesign(cmd, args[0], store)
			if err != nil {
				return err
			}
			if model {
				return s.WriteModel(cmd.OutOrStdout())
			}
			rep := snapshotReport{File: args[0], SnapshotInfo: s.Info(), HPWL: s.HPWL(lib)}
			if store != "" {
				ref, err := design.NewStore(store).Put(s)
				if err != nil {
					return out.Bad("%s: %w", store, err)
				}
				rep.Stored = filepath.Join(store, strings.TrimPrefix(string(ref), "sha256:"))
			}
			if asJSON {
				return out.JSON(cmd.OutOrStdout(), rep)
			}
			return rep.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&model, "model", false, "print the canonical text that the hash is taken of, and nothing else")
	cmd.Flags().StringVar(&store, "store", "", "keep the snapshot in this `folder`")
	libs.add(cmd)
	return cmd
}

func (r *snapshotReport) print(w io.Writer) error {
	p := &linePrinter{w: w}
	p.line("snapshot  %s", r.Snapshot)
	packed := ""
	if r.Source.Compressed {
		packed = ", gzip"
	}
	p.line("file      %s  %s (%d bytes%s)", r.File, r.Source.FileSHA256, r.Source.FileBytes, packed)
	unit := "coordinates are tiles of the device"
	if r.Unit == design.UnitDBU {
		unit = fmt.Sprintf("%d database units per µm", r.DBU)
	}
	p.line("design    %s (%s; %s)", r.Design, r.Source.Format, unit)
	p.line("cells     %d: %d placed, %d of them fixed", r.Stats.Cells, r.Stats.PlacedCells, r.Stats.FixedCells)
	p.line("nets      %d with %d connections, %d special; %d ports", r.Stats.Nets, r.Stats.Connections, r.Stats.SpecialNets, r.Stats.Ports)
	p.line("hpwl      %s", hpwlText(r.HPWL))
	if r.Source.Wiring != "" {
		p.line("routing   %s", r.Source.Wiring)
	}
	if len(r.Source.Dropped) > 0 {
		p.line("left out  %s", droppedText(r.Source.Dropped))
	}
	p.findings(r.File, &r.Source)
	if r.Stored != "" {
		p.line("stored    %s", r.Stored)
	}
	return p.err
}

func droppedText(list []design.Dropped) string {
	parts := make([]string, len(list))
	for i, d := range list {
		parts[i] = fmt.Sprintf("%s %d", d.What, d.Count)
	}
	return strings.Join(parts, ", ")
}

func hpwlText(h design.HPWL) string {
	note := ""
	if h.UnplacedPins > 0 {
		note = fmt.Sprintf("; %d pins have no place", h.UnplacedPins)
	}
	if h.Value == nil {
		return fmt.Sprintf("not known (%s)", strings.TrimPrefix(note, "; "))
	}
	return fmt.Sprintf("%s %s over %d nets (%s%s)", lengthText(*h.Value), unitText(h.Unit), h.Nets, h.Points, note)
}

func unitText(unit string) string {
	if unit == "um" {
		return "µm"
	}
	return unit
}

// lengthText prints a length with at most three decimals and without trailing zeros.
func lengthText(v float64) string {
	s := fmt.Sprintf("%.3f", v)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// linePrinter writes lines and keeps the first error.
type linePrinter struct {
	w   io.Writer
	err error
}

func (p *linePrinter) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, strings.TrimRight(oneLine(fmt.Sprintf(format, args...)), " ")+"\n")
	}
}

func (p *linePrinter) findings(file string, src *design.Source) {
	for _, f := range src.Findings {
		at := file
		if f.Line > 0 {
			at = fmt.Sprintf("%s:%d:%d", file, f.Line, f.Col)
		}
		p.line("finding   %s: %s (%s)", at, f.Text, f.Code)
	}
	if src.MoreFound > 0 {
		p.line("finding   %s: %d more", file, src.MoreFound)
	}
}
