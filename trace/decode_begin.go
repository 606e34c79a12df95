package trace

// begin reads the six fields that an event of Recorder or Writer begins with, as those write them. Where a line does not
// begin so, it reads nothing.
func (d *decoder) begin(e *Event) bool {
	line := d.line
	seq, at, ok := digitsAfter(line, 0, `{"seq":`)
	if !ok {
		return false
	}
	t, at, ok := digitsAfter(line, at, `,"t":`)
	if !ok {
		return false
	}
	if at, e.Thr, ok = d.wordAfter(at, `,"thr":"`, fieldThr, &d.names); !ok {
		return false
	}
	switch {
	case follows(line, at, `,"ph":"call","op":"`):
		at, e.Ph = at+len(`,"ph":"call",`), Call
	case follows(line, at, `,"ph":"ret","op":"`):
		at, e.Ph = at+len(`,"ph":"ret",`), Ret
	case follows(line, at, `,"ph":"enter","op":"`):
		at, e.Ph = at+len(`,"ph":"enter",`), Enter
	case follows(line, at, `,"ph":"exit","op":"`):
		at, e.Ph = at+len(`,"ph":"exit",`), Exit
	default:
		return false
	}
	if at, e.Op, ok = d.wordAfter(at, `"op":"`, fieldOp, &d.ids); !ok {
		return false
	}
	if at, e.Fn, ok = d.wordAfter(at, `,"fn":"`, fieldFn, &d.names); !ok {
		return false
	}
	e.Seq, e.T, d.at = uint64(seq), t, at
	return true
}

func follows(line []byte, at int, text string) bool {
	return len(line)-at >= len(text) && string(line[at:at+len(text)]) == text
}

// digitsAfter reads an integer of at most 18 digits that stands after a text.
func digitsAfter(line []byte, at int, text string) (n int64, end int, ok bool) {
	if !follows(line, at, text) {
		return 0, 0, false
	}
	at += len(text)
	start := at
	for ; at < len(line) && at <= start+18; at++ {
		c := line[at] - '0'
		if c > 9 {
			return n, at, line[at] == ',' && at > start && (line[start] != '0' || at == start+1)
		}
		n = n*10 + int64(c)
	}
	return 0, 0, false
}

// wordAfter reads the rest of a string whose key and opening quote are text: a plain one.
func (d *decoder) wordAfter(at int, text string, f field, words *words) (end int, word string, ok bool) {
	line := d.line
	if !follows(line, at, text) {
		return 0, "", false
	}
	at += len(text)
	word = d.newest[f]
	if end = at + len(word); word != "" && end < len(line) && line[end] == '"' && string(line[at:end]) == word {
		return end + 1, word, true
	}
	for end = at; end < len(line) && stringClass[line[end]] == 0; end++ {
	}
	if end == at || end == len(line) || line[end] != '"' || end-at > maxId {
		return 0, "", false
	}
	word = words.text(line[at:end])
	d.newest[f] = word
	return end + 1, word, true
}
