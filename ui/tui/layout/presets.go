package layout

// Preset is a set of sizes with a name.
type Preset struct {
	Name  string
	For   string // what it is good for, in a few words
	Sizes Sizes
}

// Balanced is the name of the preset that has the built-in sizes.
const Balanced = "balanced"

// Presets are the built-in ones. They follow what people do here: step through a run, read a trace that they were handed,
// write a flow and look at values, follow messages, watch many agents.
func Presets() []Preset {
	return []Preset{
		{Balanced, "stepping: everything in view", Sizes{}},
		{"events", "reading a long trace: wide lists, small details", Sizes{
			AgentsWidth: 130, RightWidth: 270, LeftWidth: 600, AgentsHeight: 200, InspectorHeight: 600, MainWidth: 740, MainHeight: 740,
		}},
		{"inspector", "writing a flow: values, scripts and details in full", Sizes{
			AgentsWidth: 130, RightWidth: 560, LeftWidth: 320, AgentsHeight: 300, InspectorHeight: 880, MainWidth: 380, MainHeight: 340,
		}},
		{"messages", "following messages: the inbox as large as the value", Sizes{
			AgentsWidth: 160, RightWidth: 460, LeftWidth: 420, AgentsHeight: 340, InspectorHeight: 450, MainWidth: 500, MainHeight: 500,
		}},
		{"agents", "many agents, or long names: their list wide and high", Sizes{
			AgentsWidth: 340, RightWidth: 300, LeftWidth: 520, AgentsHeight: 600, InspectorHeight: 700, MainWidth: 600, MainHeight: 600,
		}},
	}
}
