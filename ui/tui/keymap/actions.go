package keymap

import "fmt"

// The groups, in the order of help.
const (
	GroupTime  Group = "Time"
	GroupBreak Group = "Breakpoints"
	GroupWhy   Group = "Asking"
	GroupRuns  Group = "Runs"
	GroupMove  Group = "Moving"
	GroupView  Group = "Views"
	GroupLook  Group = "Layout and look"
	GroupOut   Group = "Taking things out"
	GroupApp   Group = "Program"
)

// The actions of the app. View actions are "view-1" and so on.
const (
	Step            ID = "step"
	StepBack        ID = "step-back"
	NextEvent       ID = "next-event"
	PrevEvent       ID = "prev-event"
	Continue        ID = "continue"
	ReverseContinue ID = "reverse-continue"
	NextOf          ID = "next-of"
	PrevOf          ID = "prev-of"
	Goto            ID = "goto"
	Mark            ID = "mark"
	Marks           ID = "marks"
	Restart         ID = "restart"
	Breakpoints     ID = "breakpoints"
	BreakHere       ID = "break-here"
	Watch           ID = "watch"
	Watches         ID = "watches"
	Why             ID = "why"
	CameOf          ID = "came-of"
	WhoChanged      ID = "who-changed"
	Source          ID = "source"
	Print           ID = "print"
	Search          ID = "search"
	SearchNext      ID = "search-next"
	SearchPrev      ID = "search-prev"
	Filter          ID = "filter"
	Edit            ID = "edit"
	EditSource      ID = "edit-source"
	Fork            ID = "fork"
	Answer          ID = "answer"
	CompareRuns     ID = "compare-runs"
	KeepRun         ID = "keep-run"
	Objectives      ID = "objectives"
	PickDelta       ID = "pick-delta"
	Up              ID = "up"
	Down            ID = "down"
	PageUp          ID = "page-up"
	PageDown        ID = "page-down"
	Home            ID = "home"
	End             ID = "end"
	Toggle          ID = "toggle"
	Open            ID = "open"
	Close           ID = "close"
	Follow          ID = "follow"
	NextPane        ID = "next-pane"
	PrevPane        ID = "prev-pane"
	Zoom            ID = "zoom"
	Wider           ID = "wider"
	Narrower        ID = "narrower"
	Taller          ID = "taller"
	Shorter         ID = "shorter"
	ResetSizes      ID = "reset-sizes"
	NextLayout      ID = "next-layout"
	Layouts         ID = "layouts"
	Theme           ID = "theme"
	Inspect         ID = "inspect"
	Raw             ID = "raw"
	Palette         ID = "palette"
	Help            ID = "help"
	Cancel          ID = "cancel"
	Copy            ID = "copy"
	Write           ID = "write"
	Mouse           ID = "mouse"
	Reload          ID = "reload"
	Suspend         ID = "suspend"
	Quit            ID = "quit"
)

// View is the action that shows the view with a number, from 1.
func View(n int) ID { return ID(fmt.Sprintf("view-%d", n)) }

// Default is the built-in table for an app with these views, at most nine (page 04, "Screens"). A view's number is its
// place in the list; "" leaves a number free. Arrows and vi keys both work; F5, F9, F10 and F11 are there for hands that
// know other debuggers.
func Default(views ...string) []Action {
	actions := []Action{
		{Step, []string{"s", "f10"}, GroupTime, "step", "Run one step of the scheduler, or replay it where it is recorded"},
		{StepBack, []string{"S"}, GroupTime, "back", "Go one step back; no effect runs again and the log stays as it is"},
		{NextEvent, []string{"]", "f11"}, GroupTime, "next event", "Go forward by one event"},
		{PrevEvent, []string{"["}, GroupTime, "previous event", "Go back by one event"},
		{Continue, []string{"c", "f5"}, GroupTime, "continue", "Run until a breakpoint or the end"},
		{ReverseContinue, []string{"C"}, GroupTime, "reverse", "Run back to the breakpoint before, or to the start"},
		{NextOf, []string{"}"}, GroupTime, "next of", "Run to the end of the next step of the agent under the cursor"},
		{PrevOf, []string{"{"}, GroupTime, "previous of", "Run back to the end of the step before of the agent under the cursor"},
		{Goto, []string{"g"}, GroupTime, "goto", "Go to a position, an event or a step by its number, or to a mark"},
		{Mark, []string{"m"}, GroupTime, "mark", "Give the event under the cursor a name to go back to"},
		{Marks, []string{"'"}, GroupTime, "marks", "List the marks, go to one, or remove one"},
		{Restart, []string{"R"}, GroupTime, "restart", "Go to the start"},
		{Breakpoints, []string{"b"}, GroupBreak, "break", "Set, change and list breakpoints"},
		{BreakHere, []string{"B", "f9"}, GroupBreak, "break here", "Set a breakpoint on the selected agent, remove it, or switch it"},
		{Watch, []string{"t"}, GroupBreak, "watch", "Watch the selected place of an agent's state, or stop watching it"},
		{Watches, []string{"T"}, GroupBreak, "watches", "List what is watched, with its values here"},
		{Why, []string{"w"}, GroupWhy, "why", "Show why what the cursor is on exists, back to the input"},
		{CameOf, []string{"W"}, GroupWhy, "came of", "Show what came of what the cursor is on"},
		{WhoChanged, []string{"u"}, GroupWhy, "who changed", "Go to the event that last changed the selected place of a state"},
		{Source, []string{"p"}, GroupWhy, "source", "Walk through the script that ran in this step, with its variables"},
		{Print, []string{"P"}, GroupWhy, "print", "Evaluate an expression here, or over a script's variables"},
		{Search, []string{"/"}, GroupWhy, "search", "Search the whole trace for a text, or with = for an expression"},
		{SearchNext, []string{"n"}, GroupWhy, "next hit", "Search on, towards the end"},
		{SearchPrev, []string{"N"}, GroupWhy, "previous hit", "Search on, towards the start"},
		{Filter, []string{"f"}, GroupWhy, "filter", "Show only the events for which an expression holds"},
		{Edit, []string{"e"}, GroupRuns, "edit", "Change a message, a state, an answer or the budget, in a new run"},
		{EditSource, []string{"E"}, GroupRuns, "edit source", "Open the flow or script in $VISUAL or $EDITOR, at what the cursor is on"},
		{Fork, []string{"F"}, GroupRuns, "fork", "Begin a new run here that shares everything before"},
		{Answer, []string{"a"}, GroupRuns, "answer", "Decide on the effect that the run waits for"},
		{Objectives, []string{"O"}, GroupWhy, "rank by", "Choose what candidates are ranked by, and what the scatter shows"},
		{PickDelta, []string{"D"}, GroupWhy, "choose delta", "Choose the design delta that is shown, or two snapshots to compare"},
		{CompareRuns, []string{"="}, GroupRuns, "compare with", "Compare the selected run with the shown one; in view 7 the next run"},
		{KeepRun, []string{"K"}, GroupRuns, "keep run", "Keep the run in a file beside the flow; view 8 lists it from then on"},
		{Up, []string{"k", "up"}, GroupMove, "up", "One row up"},
		{Down, []string{"j", "down"}, GroupMove, "down", "One row down"},
		{PageUp, []string{"pgup", "ctrl+b", "ctrl+u"}, GroupMove, "page up", "One page up"},
		{PageDown, []string{"pgdown", "ctrl+f", "ctrl+d"}, GroupMove, "page down", "One page down"},
		{Home, []string{"home"}, GroupMove, "first", "To the first row"},
		{End, []string{"end", "G"}, GroupMove, "last", "To the last row; new rows are followed from there"},
		{Toggle, []string{"enter", "space"}, GroupMove, "open/close", "Open or close what the cursor is on, or jump to it"},
		{Open, []string{"l", "right"}, GroupMove, "open", "Open, or enter what is open"},
		{Close, []string{"h", "left"}, GroupMove, "close", "Close, or go to what is around"},
		{Follow, []string{"."}, GroupMove, "follow", "Bring the cursor to where the run stands; it goes along from there"},
		{NextPane, []string{"tab"}, GroupView, "next pane", "Give the keys to the next pane"},
		{PrevPane, []string{"shift+tab"}, GroupView, "previous pane", "Give the keys to the pane before"},
	}
	for i, name := range views[:min(len(views), 9)] {
		if name == "" {
			continue
		}
		actions = append(actions, Action{View(i + 1), []string{fmt.Sprint(i + 1)}, GroupView, name, fmt.Sprintf("Show the view %s", name)})
	}
	return append(actions,
		Action{Zoom, []string{"z"}, GroupView, "zoom", "Give the pane the whole screen, or take it back"},
		Action{Inspect, []string{"i"}, GroupView, "inspect", "Inspect state or payload; of two runs, the states that differ"},
		Action{Raw, []string{"v"}, GroupView, "raw", "Show the value as its exact text, or as a tree"},
		Action{Wider, []string{">"}, GroupLook, "wider", "Make the pane wider, at the cost of the one beside it"},
		Action{Narrower, []string{"<"}, GroupLook, "narrower", "Make the pane narrower"},
		Action{Taller, []string{"+"}, GroupLook, "taller", "Make the pane higher, at the cost of the one above or below it"},
		Action{Shorter, []string{"-"}, GroupLook, "shorter", "Make the pane lower"},
		Action{ResetSizes, []string{"0"}, GroupLook, "reset sizes", "Give all panes the sizes of the layout that was chosen"},
		Action{NextLayout, []string{"\\"}, GroupLook, "next layout", "Take the next layout: the built-in ones, then your own"},
		Action{Layouts, []string{"|"}, GroupLook, "layouts", "Choose a layout, keep the sizes of now under a name, or delete your own"},
		Action{Theme, []string{"A"}, GroupLook, "theme", "Choose the theme, or ASCII characters only"},
		Action{Copy, []string{"y"}, GroupOut, "copy", "Copy what the cursor is on, to the clipboard and to a file"},
		Action{Write, []string{"o"}, GroupOut, "write", "Write what the cursor is on to a file, byte for byte"},
		Action{Palette, []string{":", "ctrl+p"}, GroupApp, "palette", "Find an action by its name"},
		Action{Help, []string{"?", "f1"}, GroupApp, "help", "Show all keys"},
		Action{Cancel, []string{"esc"}, GroupApp, "cancel", "Close what lies on top, or stop a search that runs"},
		Action{Mouse, []string{"M"}, GroupApp, "mouse", "Switch the mouse on or off; while it is off, the terminal can select text"},
		Action{Reload, []string{"L"}, GroupApp, "reload", "Read the flow again from its file"},
		Action{Suspend, []string{"ctrl+z"}, GroupApp, "suspend", "Go to the shell; fg comes back"},
		Action{Quit, []string{"q", "ctrl+c"}, GroupApp, "quit", "Leave"},
	)
}
