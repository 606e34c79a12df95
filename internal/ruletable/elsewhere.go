package ruletable

// Why a rule is no matter of states and order. Where the repository sees to it instead is found in its sources.
const (
	argument = "an argument or a limit of one call, whatever came before"
	told     = "what a result or a callback says of itself"
	calls    = "of calls that overlap: in the contract a call is one step"
	leave    = "leave to do a thing: nothing in the contract forbids it"
	inside   = "inside the provider or the memory: neither the contract nor a trace shows it"
	version  = "of versions of the interface, not of what is done through it"
	platform = "of processors and IRQLs, which the contract does not have"
	known    = "a token's value is no state: a request may name a token that is not valid yet"
	memory   = "of memory and how it is registered: the contract begins with tokens"
	agreed   = "of what the two sides have agreed on by themselves"
	bounds   = "of where memory ends, which the contract does not have"
	derived  = "advice that follows from other rules"
	objects  = "of how objects are created and kept: the contract begins with them"
)

// elsewhere has the rules of Groups that have no definition in tla/.
var elsewhere = map[string]string{
	"ARM-13": argument, "ARM-14": told, "ARM-19": derived, "ARM-22": platform, "ARM-24": platform,
	"POLL-01": calls, "POLL-10": leave,
	"RES-04": told, "RES-05": told, "RES-06": told, "RES-07": version,
	"DEF-08":  version,
	"POST-01": calls, "POST-02": calls, "POST-03": calls, "POST-05": calls, "POST-07": argument, "POST-10": told,
	"POST-12": argument, "POST-15": bounds,
	"FLAG-05": argument, "FLAG-06": inside, "FLAG-07": inside,
	"INV-04": agreed, "INV-07": memory,
	"MEM-01": memory, "MEM-02": memory, "MEM-03": memory, "MEM-04": memory, "MEM-05": known, "MEM-06": memory, "MEM-07": memory, "MEM-08": memory,
	"MEM-09": memory, "MEM-10": inside, "MEM-11": memory, "MEM-12": memory, "MEM-13": memory, "MEM-14": memory, "MEM-15": memory,
	"MEM-16": memory, "MEM-17": known, "MEM-18": inside, "MEM-19": memory, "MEM-20": inside,
	"FLUSH-03": derived,
	"RSZ-01":   argument, "RSZ-04": argument,
	"LIFE-01": objects, "LIFE-02": calls, "LIFE-03": inside, "LIFE-13": calls, "LIFE-14": objects, "LIFE-16": objects,
	"LIFE-17": objects,
}
