package contractcmd

import "github.com/spf13/cobra"

func designCmds() []*cobra.Command { return nil }
