package contractcmd

import "github.com/spf13/cobra"

func judgeCmds() []*cobra.Command { return nil }
