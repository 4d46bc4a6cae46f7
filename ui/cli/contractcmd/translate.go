package contractcmd

import "github.com/spf13/cobra"

func translateCmds() []*cobra.Command { return nil }
