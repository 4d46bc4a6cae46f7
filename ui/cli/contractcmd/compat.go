package contractcmd

import "github.com/spf13/cobra"

func compatCmds() []*cobra.Command { return nil }
