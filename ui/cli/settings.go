package cli

// Settings is what the screen would start with, and where it comes from: the answer of `flowdbg config --json`.
type Settings struct {
	OK       bool              `json:"ok"` // nothing is wrong with the files
	Config   SettingsFile      `json:"config"`
	Kept     SettingsFile      `json:"kept"`
	Theme    SettingsTheme     `json:"theme"`
	ASCII    bool              `json:"ascii"`
	Layout   SettingsLayout    `json:"layout"`
	Layouts  []SettingsPreset  `json:"layouts"`
	Keys     []SettingsKey     `json:"keys"`
	Problems []SettingsProblem `json:"problems"`
}

// SettingsFile is one of the two files; Path is "" when the environment names no home.
type SettingsFile struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
}

// SettingsTheme is the theme without --theme.
type SettingsTheme struct {
	Asked   string `json:"asked"`           // a name, or auto or cvd, which go by the terminal's background
	From    string `json:"from"`            // layout.json, config.json, built in
	Shown   string `json:"shown,omitempty"` // what this terminal makes of it; absent when its background decides
	Profile string `json:"profile"`         // what the terminal can show, by the environment
}

// SettingsLayout is the layout that is in force.
type SettingsLayout struct {
	Name    string         `json:"name"`
	From    string         `json:"from"`
	Changed bool           `json:"changed"` // the sizes are not those of the layout
	Sizes   map[string]int `json:"sizes"`   // thousandths by border, those that are not built in
}

// SettingsPreset is a layout that can be chosen.
type SettingsPreset struct {
	Name    string         `json:"name"`
	Builtin bool           `json:"builtin"`
	For     string         `json:"for,omitempty"`
	Sizes   map[string]int `json:"sizes"`
}

// SettingsKey is an action with the keys it has.
type SettingsKey struct {
	Action  string   `json:"action"`
	Keys    []string `json:"keys"`
	Does    string   `json:"does"`
	Changed bool     `json:"changed"` // the keys are not the built-in ones
}

// SettingsProblem is something wrong with one of the files; line and column are 0 when it is not about a place.
type SettingsProblem struct {
	Severity string `json:"severity"` // error: the screen does not open; warning: something else counts
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	Text     string `json:"text"`
	Excerpt  string `json:"excerpt,omitempty"`
}
