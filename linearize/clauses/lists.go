package clauses

// withoutFirst returns a list without its first n elements. It moves the others to the beginning of the memory where these are no more than
// it drops, so that a list which grows at its end and shrinks at its beginning takes new memory seldom, and an element moves once, on average.
func withoutFirst[T any](list []T, n int) []T {
	if left := len(list) - n; left <= n {
		copy(list, list[n:])
		clear(list[left:])
		return list[:left]
	}
	clear(list[:n])
	return list[n:]
}
