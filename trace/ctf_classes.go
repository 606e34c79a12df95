package trace

// CtfClass is a kind of record of binary traces, as recorders in other languages need it: the events of a function in a phase.
type CtfClass struct {
	Number int
	Fn     string
	Phase  Phase
	Fields []CtfField // in the order of the function's table
	List   string     // results or wrs, whose elements have a slot each, or ""
	End    int        // behind the last field, in the first slot
}

// CtfField is where a field stands.
type CtfField struct {
	Name     string
	At, Size int    // in bytes; 0 bytes for a list
	Has      uint32 // the bit that says whether it is there; 0 where its number 0 says that it is not
	Id       bool   // of a request or a call
	Object   bool
	Truth    bool
	Required bool
	Carried  bool // of the call, on its return
}

// CtfClasses returns all kinds of records of events, by number.
func CtfClasses() (all []CtfClass) {
	for _, c := range classes {
		if c == nil {
			continue
		}
		class := CtfClass{Number: c.number, Fn: c.fn, Phase: c.ph, End: c.end}
		if c.list != noField {
			class.List = c.list.String()
		}
		own := map[field]bool{}
		for _, f := range c.known.of(c.ph).all() {
			own[eventField(f)] = true
		}
		for _, f := range c.fields {
			class.Fields = append(class.Fields, CtfField{f.field.String(), f.at, f.kind.size(), f.has, f.kind == slotId, f.kind == slotObject,
				f.kind == slotTruth, f.required, !own[f.field]})
		}
		all = append(all, class)
	}
	return all
}

// CtfWords returns the numbers of the words of binary traces that are not C's own already, by the name of their kind in the metadata.
func CtfWords() map[string]map[string]uint32 {
	all := map[string]map[string]uint32{}
	for _, n := range []*numbering{ndkStatusNumbers, notifyNumbers, operationNumbers, wcStatusNumbers, wcOpcodeNumbers, wrOpcodeNumbers, qpStateNumbers,
		qpTypeNumbers, asyncEventNumbers} {
		words := map[string]uint32{}
		for number, word := range n.names {
			words[word] = number
		}
		all[n.name] = words
	}
	return all
}

// CtfUuid returns the UUID of binary traces, as C writes the bytes of an array.
func CtfUuid() [16]byte { return ctfUuid }
