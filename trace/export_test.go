package trace

// NextUnchecked is Next of a binary trace without what a reader checks of an event in its trace.
func (r *Reader) NextUnchecked(e *Event) error {
	s := r.container.(*slotReader)
	for {
		class, record, err := s.nextRecord()
		if err != nil {
			return err
		}
		if class >= firstEventClass {
			if _, err = s.decoder.event(record, s.decoder.plans[class], e); err == nil {
				s.decoder.behind(e)
			}
			return err
		}
		if _, err := s.other(class, record, e); err != nil && class == className {
			return err
		}
	}
}
