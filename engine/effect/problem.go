package effect

// Problem is something wrong with the settings of an op: where (a JSON Pointer inside the settings), what, and what
// would be right. A warning keeps nothing from running.
type Problem struct {
	Pointer, What, Want string
	Warning             bool
}
