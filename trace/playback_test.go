package trace

import (
	"strings"
	"testing"
)

func TestPlaybackFindsTheInput(t *testing.T) {
	const task = `{"type":"receive","step":1,"agent":"b","message":{"tag":"task","payload":1}}
`
	const inject = `{"type":"x-intervention","step":0,"do":"inject","agent":"a","message":{"tag":"go","payload":2}}
`
	const injected = `{"type":"receive","step":STEP,"agent":"a","message":{"tag":"go","payload":2}}
`
	cases := map[string]struct{ text, to, payload string }{
		"first receive":          {task, "b", "1"},
		"behind an injection":    {inject + step(injected, "1") + task, "b", "1"},
		"injected twice":         {inject + inject + step(injected, "1") + step(injected, "2") + task, "b", "1"},
		"cancelled":              {task + `{"type":"x-cancel","step":1}` + "\n", "b", "1"},
		"cancelled injection":    {inject + step(injected, "1") + `{"type":"x-cancel","step":1}` + "\n" + step(injected, "1") + task, "b", "1"},
		"same text as injection": {inject + step(injected, "1") + step(injected, "2"), "a", "2"},
		"a message with sender":  {`{"type":"receive","step":1,"agent":"b","message":{"tag":"t","payload":1,"from":"a"}}` + "\n" + task, "", ""},
		"no receive":             {inject, "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			setup := PlaybackSetup(mustRead(t, c.text).Events)
			if setup.InputTo != c.to || setup.Input.Payload.Text() != c.payload || !setup.Flowless {
				t.Fatalf("input to %q: %s", setup.InputTo, setup.Input.Text())
			}
		})
	}
}

func step(event, n string) string { return strings.ReplaceAll(event, "STEP", n) }
