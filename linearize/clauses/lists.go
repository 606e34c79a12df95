package clauses

// withoutFirst returns a list without its first n elements. If no more elements remain than it drops, it moves them to the beginning of the memory. So a
// list that grows at its end and shrinks at its beginning rarely allocates, and the amortised cost per element is one move.
func withoutFirst[T any](list []T, n int) []T {
	if left := len(list) - n; left <= n {
		copy(list, list[n:])
		clear(list[left:])
		return list[:left]
	}
	clear(list[:n])
	return list[n:]
}
