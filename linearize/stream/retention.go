package stream

// A pastWr is what became of a request that is over.
type overRequest struct {
	wr     string
	lines  [2]int // where it was posted, and delivered or refused
	answer string // of a refused one

	silence silence // why it is over without a completion
}

// A silence is why a silent request is known to have succeeded, so that nothing is to be delivered of it.
type silence uint8

const (
	notSilent    silence = iota // it is not: its completion was delivered, or its post was refused
	passedOver                  // the completion of a later request of its queue was delivered
	foundSettled                // a poll found nothing after a moment of rest
)

// maxPast is how many requests, and calls, that are over are remembered, to tell what is wrong with what names them again.
const maxPast = 4096

// past holds the latest requests that are over. Most are never asked for.
type past struct {
	ring []overRequest
	next int
}

func (p *past) add(w overRequest) {
	if len(p.ring) < maxPast {
		p.ring = append(p.ring, w)
		return
	}
	p.ring[p.next] = w
	p.next = (p.next + 1) % maxPast
}

// silenced records why the latest is over without a completion.
func (p *past) silenced(why silence) { p.ring[(p.next+len(p.ring)-1)%len(p.ring)].silence = why }

// find returns the latest of a name.
func (p *past) find(wr string) (w overRequest, known bool) {
	for i := range p.ring {
		if at := (p.next + len(p.ring) - 1 - i) % len(p.ring); p.ring[at].wr == wr {
			return p.ring[at], true
		}
	}
	return overRequest{}, false
}
