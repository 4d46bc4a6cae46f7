package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/ui/cli/out"
)

// configCmd is `flowdbg config`.
func (a *app) configCmd() *cobra.Command {
	var asJSON, check, keys bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the settings of the screen: files, theme, layout, keys, and what is wrong with them",
		Long: `Print what the screen would start with, and where it comes from. Two files lie in $XDG_CONFIG_HOME/flowdbg, or
~/.config/flowdbg:

  config.json  yours: {"theme": "dark", "ascii": false, "layout": "events", "keys": {"step": ["s", "x"]}}
  layout.json  the program's: sizes of panes, layouts, and the theme, as they were chosen on the screen

A flag counts first, then what was chosen on the screen, then config.json, then what is built in. Nothing is written.
Without --check, what is wrong is told and does not change the exit code.`,
		Example: `  flowdbg config
  flowdbg config --keys
  flowdbg config --check && flowdbg flow.json
  flowdbg config --json | jq .layout`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.cfg.Settings == nil {
				return out.Bad("this program has no screen, so it has no settings")
			}
			s, w := a.cfg.Settings(), cmd.OutOrStdout()
			switch {
			case asJSON:
				if err := out.JSON(w, s); err != nil {
					return err
				}
			case check:
				printSettingsProblems(w, s)
				if s.OK {
					fmt.Fprintln(w, "the settings are fine")
				}
			default:
				if err := printSettings(w, s, keys); err != nil {
					return err
				}
			}
			if check && !s.OK {
				return out.No("")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "print only what is wrong, and exit 1 when something is")
	cmd.Flags().BoolVar(&keys, "keys", false, "list the keys of every action, not only those that are not built in")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func printSettings(w io.Writer, s *Settings, allKeys bool) error {
	say := func(name, value string, notes ...string) {
		if note := join(notes...); note != "" {
			value += " (" + note + ")"
		}
		fmt.Fprintf(w, "%-12s %s\n", name, value)
	}
	file := func(name string, f SettingsFile) {
		switch {
		case f.Path == "":
			say(name, "nowhere: neither XDG_CONFIG_HOME nor HOME is set")
		case !f.Exists:
			say(name, f.Path, "not there")
		default:
			say(name, f.Path)
		}
	}
	file("config.json", s.Config)
	file("layout.json", s.Kept)
	shown := s.Theme.Shown
	switch shown {
	case "":
		shown = "by the terminal's background"
	case s.Theme.Asked:
		shown = ""
	default:
		shown = "shown as " + shown
	}
	say("theme", s.Theme.Asked, s.Theme.From, s.Theme.Profile, shown)
	say("ascii", map[bool]string{true: "yes", false: "no"}[s.ASCII])
	changed := ""
	if s.Layout.Changed {
		changed = "changed: " + sizesText(s.Layout.Sizes)
	}
	say("layout", s.Layout.Name, s.Layout.From, changed)
	fmt.Fprintln(w, "layouts")
	tw := table(w)
	for _, p := range s.Layouts {
		what := p.For
		if !p.Builtin {
			what = join("your own", sizesText(p.Sizes))
		}
		fmt.Fprintf(tw, "  %s\t%s\n", p.Name, what)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if err := printSettingsKeys(w, s, allKeys); err != nil {
		return err
	}
	if !s.OK {
		fmt.Fprintln(w, "problems")
		printSettingsProblems(w, s)
	}
	return nil
}

func printSettingsKeys(w io.Writer, s *Settings, all bool) error {
	tw := table(w)
	n := 0
	for _, k := range s.Keys {
		if k.Changed {
			n++
		}
	}
	fmt.Fprintf(w, "keys: %s, %d changed\n", plural(len(s.Keys), "action"), n)
	for _, k := range s.Keys {
		if !all && !k.Changed {
			continue
		}
		keys, does := strings.Join(k.Keys, " "), k.Does
		if keys == "" {
			keys = "none"
		}
		if all && k.Changed {
			does += " (changed)"
		}
		fmt.Fprintf(tw, "  %s\t%s\t%s\n", k.Action, keys, does)
	}
	return tw.Flush()
}

// printSettingsProblems prints each problem as place, severity and text, with the line and a caret.
func printSettingsProblems(w io.Writer, s *Settings) {
	for _, p := range s.Problems {
		place := p.File
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
		}
		fmt.Fprintf(w, "%s: %s: %s\n", place, p.Severity, p.Text)
		if p.Excerpt != "" {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(p.Excerpt, "\n", "\n    "))
		}
	}
}

// sizesText is sizes in the order of their names.
func sizesText(sizes map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, sizes[name]))
	}
	return strings.Join(parts, ", ")
}

// join puts texts that are not empty after each other.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}
