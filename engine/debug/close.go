package debug

// Close ends what live providers of the session's runs keep open. The session is not used afterwards. The first error
// is returned, all are closed.
func (s *Session) Close() error {
	var first error
	for _, r := range s.runs {
		if r.machine == nil {
			continue
		}
		if err := r.machine.Bus().Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
