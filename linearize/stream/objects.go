package stream

// objects holds the CQs and QPs of a trace that are not forgotten, and the connections between QPs.
type objects struct {
	cqs         map[string]*cq
	cqsInOrder  []*cq
	latestCqs   [nameEnds]*cq // the latest that an event named, by the end of its name
	qps         map[string]*qp
	qpsInOrder  []*qp
	latestQps   [nameEnds]*qp
	objectCount int              // CQs and QPs that were named
	conns       map[string][]*qp // of both hosts, where there are two
	retired     retired
}

// endOf returns a number for the end of a name: ids of objects differ there.
func endOf(name string) int {
	number := 0
	for i := max(0, len(name)-4); i < len(name); i++ {
		number = number*5 + int(name[i])
	}
	return number % nameEnds
}

const nameEnds = 64
