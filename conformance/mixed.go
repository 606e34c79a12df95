package conformance

import "ndkoracle/ndk"

// mix is the state of a world of the scenario mixed.
type mix struct {
	*world
	regions []owned
	bag     []func(*mix, *endpoint) error // what rounds draw from: what is in it twice comes twice as often
}

// owned is a region and the endpoint that it belongs to.
type owned struct {
	*region
	owner *endpoint
}

// The actions of a round. Those that cost a QP end it.
var (
	lasting = []func(*mix, *endpoint) error{
		(*mix).send, (*mix).arm, (*mix).poll, (*mix).restInBetween, (*mix).refused, (*mix).register, (*mix).useRegion,
		(*mix).endRegion,
	}
	breaking = []func(*mix, *endpoint) error{(*mix).fail, (*mix).flush, (*mix).unknownToken}
)

// Everything at random: layouts, what callbacks do, and how often each action comes are drawn for each world.
func mixed(r *Run) error {
	return r.worlds(r.anyLayout, func(w *world) error {
		m := &mix{world: w}
		m.bag = append(m.bag, (*mix).send) // without requests the run would never end
		m.draw(4, (*mix).send)
		m.draw(4, lasting...)
		m.draw(2, breaking...)
		for _, q := range w.queues {
			q.onCallback(m.anyResponse(q))
		}
		return w.rounds(3, m.round)
	})
}

// draw puts each of the actions into the bag less than limit times.
func (m *mix) draw(limit int, from ...func(*mix, *endpoint) error) {
	for _, action := range from {
		for range m.run.random.IntN(limit) {
			m.bag = append(m.bag, action)
		}
	}
}

func (m *mix) anyResponse(q *queue) func(cq ndk.Cq) {
	t, room := m.run.anyNotifyType(), 1+m.run.random.IntN(3)
	return []func(cq ndk.Cq){
		nil,
		func(cq ndk.Cq) { q.drain(cq, room) },
		func(cq ndk.Cq) { q.poll(cq, room) },
		func(cq ndk.Cq) { q.drain(cq, room); q.rearm(cq, t) },
		func(cq ndk.Cq) { q.rearm(cq, t); q.poll(cq, room) },
	}[m.run.random.IntN(5)]
}

func (m *mix) round() error {
	for _, q := range m.queues {
		q.mayRearm(1)
	}
	for range 2 + m.run.random.IntN(4) {
		e := m.endpoints[m.run.random.IntN(len(m.endpoints))]
		if err := m.bag[m.run.random.IntN(len(m.bag))](m, e); err != nil || m.broken() {
			return err
		}
	}
	m.endChains()
	return nil
}

func (m *mix) endChains() {
	for _, e := range m.endpoints {
		e.endChain()
	}
}

// restBeforeBreaking sees to it that nothing is on its way when a QP is broken.
func (m *mix) restBeforeBreaking() error {
	m.endChains()
	return m.restInBetween(nil)
}

func (m *mix) restInBetween(*endpoint) error {
	if err := m.rest(); err != nil {
		return err
	}
	for i := range m.regions {
		m.regions[i].known = true // registrations are never deferred
	}
	return nil
}

// anyFlags draws flags for a send, DEFER and SILENT_SUCCESS among them.
func (m *mix) anyFlags(e *endpoint) ndk.OpFlags {
	flags := e.anySendFlags()
	if m.run.chance(3) {
		flags |= ndk.NDK_OP_FLAG_DEFER
	}
	if m.run.chance(4) {
		flags |= ndk.NDK_OP_FLAG_SILENT_SUCCESS
	}
	return flags
}

func (m *mix) send(e *endpoint) error {
	e.transfer(m.anyFlags(e))
	return nil
}

func (m *mix) refused(e *endpoint) error {
	e.sendRefused(e.qp, m.anyFlags(e))
	return nil
}

func (m *mix) anyQueue() *queue { return m.queues[m.run.random.IntN(len(m.queues))] }

func (m *mix) arm(*endpoint) error {
	q := m.anyQueue()
	for range 1 + m.run.random.IntN(3) {
		q.arm(q.cq, m.run.anyNotifyType())
	}
	return nil
}

func (m *mix) poll(*endpoint) error {
	q := m.anyQueue()
	q.poll(q.cq, 1+m.run.random.IntN(4))
	return nil
}

func (m *mix) register(e *endpoint) error {
	if !m.run.info.FastRegister && !m.run.info.Bind {
		return nil
	}
	g, err := e.register(0)
	if g != nil {
		m.regions = append(m.regions, owned{region: g, owner: e})
	}
	return err
}

// takeRegion returns a region whose token is valid for certain, one of e if there is none yet. No other action gets it
// again.
func (m *mix) takeRegion(e *endpoint) (g owned, ok bool, err error) {
	if len(m.regions) == 0 {
		if err := m.register(e); err != nil || len(m.regions) == 0 {
			return owned{}, false, err
		}
	}
	g, m.regions = m.regions[0], m.regions[1:]
	if g.known {
		return g, true, nil
	}
	return g, true, m.rest()
}

func (m *mix) useRegion(e *endpoint) error {
	g, ok, err := m.takeRegion(e)
	switch {
	case err != nil || !ok:
		return err
	case m.run.chance(2):
		g.owner.peer.write(g.region, 0)
	default:
		g.owner.peer.read(g.region, 0)
	}
	return nil
}

// endRegion invalidates a region, by the peer's message or by its owner, and often once more, which has to fail.
func (m *mix) endRegion(e *endpoint) error {
	g, ok, err := m.takeRegion(e)
	if err != nil || !ok {
		return err
	}
	peer := g.owner.peer
	if m.run.info.RemoteInvalidate && !m.run.chance(3) {
		peer.provide()
		peer.sendAndInvalidate(peer.qp, peer.anySendFlags(), g.token)
	} else {
		g.owner.invalidate(g.region, 0)
	}
	if m.run.chance(2) {
		return nil
	}
	if err := m.restBeforeBreaking(); err != nil {
		return err
	}
	if m.run.chance(2) {
		q := g.owner.receive
		q.drain(q.cq, 2)
	}
	g.owner.invalidate(g.region, 0)
	g.owner.broken = true
	return nil
}

func (m *mix) fail(e *endpoint) error {
	if err := m.restBeforeBreaking(); err != nil {
		return err
	}
	flags := m.anyFlags(e) &^ ndk.NDK_OP_FLAG_DEFER
	for range m.run.random.IntN(2) {
		e.accept(e.qp)
	}
	e.sendBadly(e.qp, flags)
	if m.run.chance(2) {
		e.sendUnmet(0)
	}
	return nil
}

func (m *mix) flush(e *endpoint) error {
	if err := m.restBeforeBreaking(); err != nil {
		return err
	}
	for range m.run.random.IntN(3) {
		e.accept(e.qp)
	}
	if len(e.peer.receives) == len(e.sent) { // otherwise the sends could be on their way
		for range m.run.random.IntN(3) {
			e.sendUnmet(m.anyFlags(e))
		}
	}
	e.flush()
	return nil
}

func (m *mix) unknownToken(e *endpoint) error {
	if !m.run.info.RemoteInvalidate {
		return nil
	}
	if err := m.restBeforeBreaking(); err != nil {
		return err
	}
	e.provide()
	e.sendAndInvalidate(e.qp, 0, m.run.unknownToken())
	e.broken, e.peer.broken = true, true
	if m.run.chance(2) {
		if err := m.rest(); err != nil {
			return err
		}
		e.transfer(0)
	}
	return nil
}
