package contractcmd

import (
	"strconv"
	"strings"

	"flowdbg/trace/canon"
)

// offsetOf finds the byte offset of the value at a JSON Pointer, or of the nearest value around it that exists.
// A member is located at its key, so that an editor jumps to the name.
func offsetOf(node *canon.Node, pointer string) int {
	offset := node.Off
	if pointer == "" {
		return offset
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch node.Kind {
		case canon.KindObject:
			found := false
			for _, m := range node.Members {
				if m.Key == token {
					node, offset, found = m.Value, m.KeyOff, true
					break
				}
			}
			if !found {
				return offset
			}
		case canon.KindArray:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(node.Elems) {
				return offset
			}
			node = node.Elems[i]
			offset = node.Off
		default:
			return offset
		}
	}
	return offset
}
