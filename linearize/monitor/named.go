package monitor

// named finds values by name. It keeps the latest at hand: most events name one of a few objects, and a map costs more than all else of such a look-up.
type named[T any] struct {
	all    map[string]*T
	latest [32]struct {
		name  string
		value *T
	}
}

func newNamed[T any]() named[T] { return named[T]{all: map[string]*T{}} }

// place returns where a name is kept at hand. Names of one kind differ at their ends and in their lengths.
func (n *named[T]) place(name string) int {
	number := len(name)
	for i := max(0, len(name)-3); i < len(name); i++ {
		number = number*5 + int(name[i])
	}
	return number % len(n.latest)
}

// get returns the value of a name, or nil.
func (n *named[T]) get(name string) *T {
	at := &n.latest[n.place(name)]
	if at.name == name && at.value != nil {
		return at.value
	}
	value := n.all[name]
	if value != nil {
		at.name, at.value = name, value
	}
	return value
}

func (n *named[T]) put(name string, value *T) {
	n.all[name] = value
	at := &n.latest[n.place(name)]
	at.name, at.value = name, value
}

func (n *named[T]) remove(name string) {
	delete(n.all, name)
	if at := &n.latest[n.place(name)]; at.name == name {
		at.name, at.value = "", nil
	}
}
