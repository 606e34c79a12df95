package trace

// begin reads the six fields that an event of Recorder or Writer begins with, as those write them. Where a line does not
// begin so, it reads nothing.
func (d *decoder) begin(e *Event) bool {
	line := d.line
	if !follows(line, 0, `{"seq":`) {
		return false
	}
	seq, at, ok := digits(line, len(`{"seq":`))
	if !ok || !follows(line, at, `,"t":`) {
		return false
	}
	t, at, ok := digits(line, at+len(`,"t":`))
	if !ok || !follows(line, at, `,"thr":"`) {
		return false
	}
	thr, at, ok := d.plainWord(at+len(`,"thr":"`), &d.names)
	if !ok || !follows(line, at, `,"ph":"`) {
		return false
	}
	at += len(`,"ph":"`)
	switch {
	case follows(line, at, `call","op":"`):
		at, e.Ph = at+len(`call","op":"`), Call
	case follows(line, at, `ret","op":"`):
		at, e.Ph = at+len(`ret","op":"`), Ret
	case follows(line, at, `enter","op":"`):
		at, e.Ph = at+len(`enter","op":"`), Enter
	case follows(line, at, `exit","op":"`):
		at, e.Ph = at+len(`exit","op":"`), Exit
	default:
		return false
	}
	op, at, ok := d.plainWord(at, &d.ids)
	if !ok || !follows(line, at, `,"fn":"`) {
		return false
	}
	if e.Fn, at, ok = d.plainWord(at+len(`,"fn":"`), &d.names); !ok {
		return false
	}
	e.Seq, e.T, e.Thr, e.Op, d.at = uint64(seq), t, thr, op, at
	return true
}

// beginResult is begin for the three fields that a result of NdkGetCqResults begins with.
func (d *decoder) beginResult(r *Result) bool {
	line, at := d.line, d.at
	if !follows(line, at, `{"wr":"`) {
		return false
	}
	wr, at, ok := d.plainWord(at+len(`{"wr":"`), &d.ids)
	if !ok || !follows(line, at, `,"qp":"`) {
		return false
	}
	qp, at, ok := d.plainWord(at+len(`,"qp":"`), &d.names)
	if !ok || !follows(line, at, `,"status":"`) {
		return false
	}
	status, at, ok := d.plainWord(at+len(`,"status":"`), &d.names)
	if ok {
		r.Wr, r.Qp, r.Status, d.at = wr, qp, status, at
	}
	return ok
}

// follows is to be inlined: texts of at most 16 bytes are compared in place then.
func follows(line []byte, at int, text string) bool {
	return len(line)-at >= len(text) && string(line[at:at+len(text)]) == text
}

// digits reads an integer of at most 18 digits with a comma behind it.
func digits(line []byte, start int) (n int64, end int, ok bool) {
	for at := start; at < len(line) && at <= start+18; at++ {
		c := line[at] - '0'
		if c > 9 {
			return n, at, line[at] == ',' && at > start && (line[start] != '0' || at == start+1)
		}
		n = n*10 + int64(c)
	}
	return 0, 0, false
}

// plainWord reads the rest of a string behind its opening quote: a plain one.
func (d *decoder) plainWord(at int, words *words) (word string, end int, ok bool) {
	line := d.line
	for end = plainEnd(line, at); end < len(line) && stringClass[line[end]] == 0; end++ {
	}
	if end == at || end == len(line) || line[end] != '"' || end-at > maxId {
		return "", 0, false
	}
	return words.text(line[at:end]), end + 1, true
}
