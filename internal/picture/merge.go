package picture

// merge puts the items of two hosts in one order in which each message is sent before it is received: of the two it takes the one that is behind.
func merge(hosts [][]*item) []*item {
	if len(hosts) == 1 {
		return hosts[0]
	}
	a, b := hosts[0], hosts[1]
	taken := map[*item]bool{}
	var all []*item
	ready := func(i *item) bool {
		for _, m := range i.got {
			if m.from.host != i.host && !taken[m.from] {
				return false
			}
		}
		return true
	}
	for na, nb := 0, 0; na < len(a) || nb < len(b); {
		fromA := nb == len(b) || na < len(a) && na*len(b) <= nb*len(a)
		if na < len(a) && nb < len(b) { // where both wait for the other, the traces contradict each other, and any order is as good
			if fromA && !ready(a[na]) {
				fromA = false
			} else if !fromA && !ready(b[nb]) {
				fromA = true
			}
		}
		next := (*item)(nil)
		if fromA {
			next = a[na]
			na++
		} else {
			next = b[nb]
			nb++
		}
		taken[next] = true
		all = append(all, next)
	}
	return all
}
