package contractcmd

import "github.com/spf13/cobra"

func typeCmds() []*cobra.Command { return nil }
