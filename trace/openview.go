package trace

// Log is the trace's events; of a Store those that are indexed so far.
func (o *Opened) Log() Log {
	if o.Trace != nil {
		return MemLog(o.Trace.Events)
	}
	return o.Store
}

// Advance indexes more of a trace in a file, see Store.Advance. In memory it is done.
func (o *Opened) Advance() (done bool, err error) {
	if o.Trace != nil {
		return true, nil
	}
	return o.Store.Advance()
}

// Index advances to the end, calling progress (if not nil) with the bytes done and the file's size in between; its
// error stops the work.
func (o *Opened) Index(progress func(done, total int64) error) error {
	for {
		done, err := o.Advance()
		if done || err != nil {
			return err
		}
		if progress != nil {
			if err := progress(o.Store.Progress()); err != nil {
				return err
			}
		}
	}
}

// Findings are what reading noticed, the compression included.
func (o *Opened) Findings() []Finding {
	list := append([]Finding(nil), o.notes...)
	if o.Trace != nil {
		return append(list, o.Trace.Findings...)
	}
	return append(list, o.Store.Findings()...)
}

// Tear is where a torn trace ends, nil when it is whole; of a Store as far as it is indexed.
func (o *Opened) Tear() *Tear {
	if o.Trace != nil {
		return o.Trace.Tear
	}
	return o.Store.Tear()
}

// Complete is Trace.Complete or Store.Complete.
func (o *Opened) Complete() bool {
	if o.Trace != nil {
		return o.Trace.Complete()
	}
	return o.Store.Complete()
}

// Damage is the index of the first event that stands for damage, -1 when none is known.
func (o *Opened) Damage() int {
	if o.Trace != nil {
		return o.Trace.Damage()
	}
	return o.Store.Damage()
}

// Format is the layout.
func (o *Opened) Format() Format {
	if o.Trace != nil {
		return o.Trace.Format
	}
	return o.Store.Format()
}

// Close closes the file; a temporary one is gone then. Events that were decoded stay valid.
func (o *Opened) Close() error {
	if o.Store == nil {
		return nil
	}
	return o.Store.Close()
}

// Damage is the index of the first event that stands for damage, -1 when none is known. Damage inside values is known
// when the store is verified.
func (s *Store) Damage() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.damages) == 0 {
		return -1
	}
	for _, f := range s.findings {
		if f.Kind == FindDamage {
			return f.Event
		}
	}
	return -1
}
