package stream

// Followed returns how many queue pairs of a trace are looked through, which those are not that were put aside.
func (s *Stream) Followed() int { return len(s.qpsInOrder) }

// IsInDoubt reports whether something may explain of any object whatever has no other explanation.
func (s *Stream) IsInDoubt() bool {
	for _, q := range s.cqsInOrder {
		if q.group.root().doubt != "" {
			return true
		}
	}
	return false
}
