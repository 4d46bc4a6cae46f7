// Command flowdbg is a terminal debugger for deterministic multi-agent flows. This file wires the command line and exits;
// nothing is decided here.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	_ "flowdbg/ui/background" // before everything else that could ask the terminal for its background

	"github.com/mattn/go-isatty"

	"flowdbg/ui/cli"
	"flowdbg/ui/tui"
)

// version is what --version prints.
const version = "0.1.0"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the program whatever it waits for
	code := cli.Execute(ctx, cli.Config{
		Version: version,
		Stdin:   os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTTY: isatty.IsTerminal(os.Stdin.Fd()), StdoutTTY: isatty.IsTerminal(os.Stdout.Fd()), StderrTTY: isatty.IsTerminal(os.Stderr.Fd()),
		Interactive: tui.Open, Settings: tui.Settings,
	}, os.Args[1:])
	stop()
	os.Exit(code)
}
