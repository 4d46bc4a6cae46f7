package flow

import "testing"

// TestLimitsOfVersion1 pins the numbers: changing one changes what recorded runs mean.
func TestLimitsOfVersion1(t *testing.T) {
	if MaxMessageBytes != 1<<20 || MaxStateBytes != 16<<20 || MaxInbox != 10_000 || MaxNesting != 256 || MaxSendsPerAct != 1_000 {
		t.Error("a limit of version 1 changed")
	}
	if MaxIDBytes != 128 || EffectName != "effect" {
		t.Error("a bound of names changed")
	}
}
