package stream

// A pastWr is what became of a request that is over.
type pastWr struct {
	wr     string
	lines  [2]int // where it was posted, and delivered or refused
	answer string // of a refused one

	settled bool // it was silent, and had succeeded, as a poll showed: nothing is to be delivered of it
}

// maxPast is how many requests, and calls, that are over are remembered, to tell what is wrong with what names them again.
const maxPast = 4096

// past holds the latest requests that are over. Most are never asked for.
type past struct {
	ring []pastWr
	next int
}

func (p *past) add(w pastWr) {
	if len(p.ring) < maxPast {
		p.ring = append(p.ring, w)
		return
	}
	p.ring[p.next] = w
	p.next = (p.next + 1) % maxPast
}

// settles notes that the latest was settled.
func (p *past) settles() { p.ring[(p.next+len(p.ring)-1)%len(p.ring)].settled = true }

// find returns the latest of a name.
func (p *past) find(wr string) (w pastWr, known bool) {
	for i := range p.ring {
		if at := (p.next + len(p.ring) - 1 - i) % len(p.ring); p.ring[at].wr == wr {
			return p.ring[at], true
		}
	}
	return pastWr{}, false
}
