package background_test

// Bubble Tea is linked into the test program so that TestInitTrace can watch the order of the two inits.
import _ "github.com/charmbracelet/bubbletea"
