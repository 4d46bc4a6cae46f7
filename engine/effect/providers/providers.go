// Package providers lists the real providers by name. It may hold that list and nothing else: package effect cannot name
// them, because they are made of it.
package providers

import (
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/execx"
	"flowdbg/engine/effect/httpx"
	"flowdbg/engine/effect/llm"
)

// All maps provider names, as in effects.<op>.provider, to what makes them. The map is the caller's own: further ones
// can be added to it.
func All() map[string]effect.Maker {
	return map[string]effect.Maker{
		"openai": llm.New,
		"exec":   execx.New,
		"http": func(set effect.Setup) (effect.Provider, []effect.Problem) {
			if set.Op == "search" {
				return httpx.NewSearch(set)
			}
			return httpx.New(set)
		},
	}
}
