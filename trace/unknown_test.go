package trace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// A key that resembles one that the event could have, and has not, was probably meant for it.
func TestKeysThatWereMeant(t *testing.T) {
	for key, want := range map[string]field{
		"flag": fieldFlags, "Flags": fieldFlags, "falgs": fieldFlags, "flagz": fieldFlags, "byte": fieldBytes, "bytes_": fieldBytes,
		"receiveCq": fieldReceiveCq, "cqId": fieldCq, "CQ": fieldCq, "initator_cq": fieldInitiatorCq, "stauts": fieldStatus,
		"solicitedOnly": fieldSolicitedOnly, "qptype": fieldQpType,
		"send_flags": fieldFlags, "RequestFlags": fieldFlags, "opFlags": fieldFlags, "comp_channel": fieldChannel, "ibv_srq": fieldSrq, "flags_of": noField,
		"vendor_status": noField,
		"qp_num":        noField, "dest_qp_num": noField, "by": noField, "missed": noField, "line": noField, "cp": noField, "mm": noField,
		"comment": noField, "wrs_": fieldWrs, "context": noField, "vendor_err": noField, "": noField,
	} {
		candidates := []field{fieldFlags, fieldBytes, fieldReceiveCq, fieldInitiatorCq, fieldCq, fieldQp, fieldMr, fieldInline, fieldWrs,
			fieldStatus, fieldSolicitedOnly, fieldQpType, fieldConn, fieldChannel, fieldSrq}
		if got := nearest(key, candidates); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

// The reader says what it does not know, and marks the events whose meaning may depend on it: also those that are written as others before
// them were.
func TestUnclearEvents(t *testing.T) {
	call := func(seq int, fn, fields string) string {
		return fmt.Sprintf(`{"seq":%d,"thr":"t","ph":"call","op":"%[1]d","fn":%q,"qp":"q%[1]d",%[3]s}`, seq, fn, fields)
	}
	for name, test := range map[string]struct {
		fn, fields, unclear, warning string
	}{
		"a function":                 {"NdkNew", `"x":1`, "NdkNew is not a function", `"NdkNew" is not a function that the format knows; its`},
		"a function with a near one": {"NdkCloseQP", `"x":1`, "NdkCloseQP is not a function", "did you mean NdkCloseQp?"},
		"a type of functions":        {"NDK_FN_CLOSE_OBJECT", `"x":1`, "NDK_FN_CLOSE_OBJECT is not a function", "write NdkCloseCq"},
		"a key":                      {"NdkWrite", `"wr":"w%d","flag":["DEFER"]`, `"flag" in NdkWrite`, `did you mean "flags"?`},
		"a key beside its near one":  {"NdkWrite", `"wr":"w%d","flag":1,"flags":[]`, "", `the key "flag" in NdkWrite is not known, and is ignored`},
		"a key like no other":        {"NdkWrite", `"wr":"w%d","comment":"x"`, "", `"comment" in NdkWrite`},
		"a key of another function":  {"NdkWrite", `"wr":"w%d","typ":1`, "", `"typ" in NdkWrite`},
		"a key of a request":         {"ibv_post_send", `"wrs":[{"wr":"w%d","opcod":"SEND"}]`, `"opcod" in wrs of ibv_post_send`, `did you mean "opcode"?`},
		"an opcode":                  {"ibv_post_send", `"wrs":[{"wr":"w%d","opcode":"NEW"}]`, `the opcode "NEW" is not known`, `the opcode "NEW"`},
		"a type of QPs":              {"ibv_create_qp", `"send_cq":"c","recv_cq":"c","qp_type":"RD"`, `the qp_type "RD" is not known`, `the qp_type "RD"`},
	} {
		var events []string
		for seq := 1; seq <= 3; seq++ {
			fields := test.fields
			if strings.Contains(fields, "%d") {
				fields = fmt.Sprintf(fields, seq)
			}
			events = append(events, call(seq, test.fn, fields))
		}
		whole, err := Read("f", strings.NewReader(lines(events...)), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(whole.Warnings) != 1 || whole.Warnings[0].Line != 2 || !strings.Contains(whole.Warnings[0].Text, test.warning) {
			t.Errorf("%s: warnings %v", name, whole.Warnings)
		}
		for i := range whole.Events {
			if u := whole.Events[i].Unclear; (u != "") != (test.unclear != "") || !strings.Contains(u, test.unclear) {
				t.Errorf("%s: event %d is unclear: %q, want %q", name, i, u, test.unclear)
			}
		}
	}
}

// Kernel code on Linux reads no events, so nothing is decided by one that it is said to have read (ARM-06). A program does.
func TestEventsThatKernelCodeReads(t *testing.T) {
	for dialect, want := range map[string]string{"kverbs": "kernel code does not read events by ibv_get_cq_event", "verbs": ""} {
		text := strings.Replace(lines(`{"seq":1,"thr":"t","ph":"call","op":"1","fn":"ibv_get_cq_event"}`,
			`{"seq":2,"thr":"t","ph":"ret","op":"1","fn":"ibv_get_cq_event","cq":"c"}`), "ndkpi", dialect, 1)
		whole, err := Read("f", strings.NewReader(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := whole.Events[1].Unclear; got != want {
			t.Errorf("%s: unclear %q, want %q", dialect, got, want)
		}
		if warned := len(whole.Warnings); (warned == 1) != (want != "") || warned > 1 {
			t.Errorf("%s: warnings %v", dialect, whole.Warnings)
		}
	}
}

// A status that is not known is read as that of a failure, what rests on it is not decided, and the warning names the one that was probably meant. A number,
// and a name that the format has, are decided.
func TestUnknownStatus(t *testing.T) {
	for status, want := range map[string]string{
		"STATUS_NEW_FAILURE": "[{3 the status \"STATUS_NEW_FAILURE\" is not known; it counts as a failure}]",
		"STATUS_SUCCES":      "[{3 the status \"STATUS_SUCCES\" is not known; did you mean STATUS_SUCCESS?; it counts as a failure}]",
		"STATUS_PENDIN":      "[{3 the status \"STATUS_PENDIN\" is not known; did you mean STATUS_PENDING?; it counts as a failure}]",
		"STATUS_CANCELED":    "[{3 the status \"STATUS_CANCELED\" is not known; did you mean STATUS_CANCELLED?; it counts as a failure}]",
		"0xC0000001":         "[]",
		"STATUS_IO_TIMEOUT":  "[]",
	} {
		whole, err := Read("f", strings.NewReader(lines(`{"seq":1,"thr":"t","ph":"call","op":"1","fn":"NdkDisconnect","qp":"q"}`,
			`{"seq":2,"thr":"t","ph":"ret","op":"1","fn":"NdkDisconnect","status":"`+status+`"}`)), 0)
		if err != nil {
			t.Fatal(err)
		}
		e := whole.Events[1]
		if got := fmt.Sprint(whole.Warnings); e.Status != status || (e.Unclear != "") != (want != "[]") || !e.failed() || got != want {
			t.Errorf("%q, unclear %q, failed %t, %s", e.Status, e.Unclear, e.failed(), got)
		}
	}
	whole, err := Read("f", strings.NewReader(lines(`{"seq":1,"thr":"t","ph":"call","op":"1","fn":"ibv_poll_cq","cq":"c","n":4}`,
		`{"seq":2,"thr":"t","ph":"ret","op":"1","fn":"ibv_poll_cq","results":[{"wr":"w","status":"IBV_WC_SUCCES"}]}`)), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(whole.Warnings); whole.Events[1].Unclear == "" || !strings.Contains(got, "did you mean IBV_WC_SUCCESS?") {
		t.Errorf("unclear %q, %s", whole.Events[1].Unclear, got)
	}
}

// NdkFlush is VOID in NDKPI: a status that says something else than success is dropped, with a warning, in both forms of a trace. NDSPI returns one.
func TestStatusOfAVoidFunction(t *testing.T) {
	trace := func(dialect, status string) []byte {
		return []byte(strings.Replace(lines(`{"seq":1,"thr":"t","ph":"call","op":"1","fn":"NdkFlush","qp":"q"}`,
			`{"seq":2,"thr":"t","ph":"ret","op":"1","fn":"NdkFlush","status":"`+status+`"}`), `"ndkpi"`, `"`+dialect+`"`, 1))
	}
	for _, test := range []struct {
		dialect, status, read string
		warned                bool
	}{
		{"ndkpi", "STATUS_INVALID_PARAMETER", "", true}, {"ndkpi", "STATUS_FAILS", "", true}, {"ndkpi", "STATUS_SUCCESS", "STATUS_SUCCESS", false},
		{"ndspi", "STATUS_INVALID_PARAMETER", "STATUS_INVALID_PARAMETER", false},
	} {
		whole, err := Read("f", bytes.NewReader(trace(test.dialect, test.status)), 0)
		if err != nil {
			t.Fatal(err)
		}
		if e := whole.Events[1]; e.Status != test.read || e.Unclear != "" || (len(whole.Warnings) == 1) != test.warned {
			t.Errorf("%s, %s: read as %q, unclear %q, %v", test.dialect, test.status, e.Status, e.Unclear, whole.Warnings)
		}
		sameInBothForms(t, trace(test.dialect, test.status))
	}
}

// Words may be spelt as in C: integers for ids, macros, negative NTSTATUS and errno, functions by the names of their types.
func TestSpellings(t *testing.T) {
	given := lines(
		`{"seq":1,"thr":7,"ph":"call","op":1,"fn":"NDK_FN_ARM_CQ","cq":3,"type":"NDK_CQ_NOTIFY_ANY"}`,
		`{"seq":2,"thr":7,"ph":"ret","op":1,"fn":"NDK_FN_ARM_CQ"}`,
		`{"seq":3,"thr":7,"ph":"call","op":3,"fn":"NDK_FN_GET_CQ_RESULTS_EX","cq":3,"n":1}`,
		`{"seq":4,"thr":7,"ph":"ret","op":3,"fn":"NDK_FN_GET_CQ_RESULTS_EX","results":[{"wr":5,"qp":4,"status":-1073741536,"type":"NdkOperationTypeSend"}]}`,
		`{"seq":5,"thr":7,"ph":"call","op":5,"fn":"NdkSend","qp":4,"wr":6,"flags":["NDK_OP_FLAG_DEFER"]}`,
		`{"seq":6,"thr":7,"ph":"ret","op":5,"fn":"NdkSend","status":"-1073741536"}`,
		`{"seq":7,"thr":7,"ph":"call","op":7,"fn":"ibv_post_send","qp":4,"wrs":[{"wr":7,"opcode":"IB_WR_REG_MR","flags":["IBV_SEND_SIGNALED"],"mr":9}]}`,
		`{"seq":8,"thr":7,"ph":"ret","op":7,"fn":"ibv_post_send","errno":-22}`,
		`{"seq":9,"thr":7,"ph":"call","op":9,"fn":"ibv_create_qp","qp":5,"send_cq":3,"recv_cq":3,"qp_type":"IBV_QPT_RC"}`)
	plain := lines(
		`{"seq":1,"thr":"7","ph":"call","op":"1","fn":"NdkArmCq","cq":"3","type":"ANY"}`,
		`{"seq":2,"thr":"7","ph":"ret","op":"1","fn":"NdkArmCq"}`,
		`{"seq":3,"thr":"7","ph":"call","op":"3","fn":"NdkGetCqResultsEx","cq":"3","n":1}`,
		`{"seq":4,"thr":"7","ph":"ret","op":"3","fn":"NdkGetCqResultsEx","results":[{"wr":"5","qp":"4","status":"STATUS_CANCELLED","type":"Send"}]}`,
		`{"seq":5,"thr":"7","ph":"call","op":"5","fn":"NdkSend","qp":"4","wr":"6","flags":["DEFER"]}`,
		`{"seq":6,"thr":"7","ph":"ret","op":"5","fn":"NdkSend","status":"STATUS_CANCELLED"}`,
		`{"seq":7,"thr":"7","ph":"call","op":"7","fn":"ibv_post_send","qp":"4","wrs":[{"wr":"7","opcode":"REG_MR","flags":["SIGNALED"],"mr":"9"}]}`,
		`{"seq":8,"thr":"7","ph":"ret","op":"7","fn":"ibv_post_send","errno":"EINVAL"}`,
		`{"seq":9,"thr":"7","ph":"call","op":"9","fn":"ibv_create_qp","qp":"5","send_cq":"3","recv_cq":"3","qp_type":"RC"}`)
	want, err := Read("f", strings.NewReader(plain), 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read("f", strings.NewReader(given), 0)
	if err != nil {
		t.Fatal(err)
	}
	sameEvents(t, got.Events, want.Events)
	if len(got.Warnings) > 0 {
		t.Error(got.Warnings)
	}
}

// A byte order mark is skipped. UTF-16 is read with its mark, as PowerShell's > writes it, and without one.
func TestByteOrderMarks(t *testing.T) {
	text := lines(`{"seq":1,"thr":"é☃😀","ph":"point","fn":"quiesce"}`) + strings.Repeat(" ", 5000) + "\r\n"
	text = strings.Replace(text, "\n", "\r\n", -1)
	text = strings.TrimRight(text, " \r\n") + "\r\n"
	want, err := Read("f", strings.NewReader(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	encoded := func(order binary.ByteOrder, text string) string {
		var b bytes.Buffer
		if err := binary.Write(&b, order, utf16.Encode([]rune(text))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, file := range map[string]string{
		"UTF-8":                  "\ufeff" + text,
		"UTF-16 LE":              encoded(binary.LittleEndian, "\ufeff"+text),
		"UTF-16 BE":              encoded(binary.BigEndian, "\ufeff"+text),
		"UTF-16 LE without mark": encoded(binary.LittleEndian, text),
		"UTF-16 BE without mark": encoded(binary.BigEndian, text),
	} {
		got, err := Read("f", strings.NewReader(file), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sameEvents(t, got.Events, want.Events)
	}
	half := strings.Replace(encoded(binary.LittleEndian, "\ufeff"+text), "\x3d\xd8", "x\x00", 1) // the other half of the pair stands alone
	if _, err := Read("f", strings.NewReader(half), 0); err == nil || !strings.Contains(err.Error(), "U+FFFD") {
		t.Errorf("half a pair: %v", err)
	}
}

// RES-01, RES-03: NDK_RESULT has no type, no token and no provider error. Those of a plain poll decide nothing, and each is warned of.
func TestPlainPollHasNoExtendedResults(t *testing.T) {
	const result = `"results":[{"wr":"w","status":"STATUS_SUCCESS","type":"Read","token":7,"provider_error":1}]}`
	for fn, warned := range map[string]int{"NdkGetCqResults": 3, "NdkGetCqResultsEx": 0} {
		whole, err := Read("f", strings.NewReader(lines(
			fmt.Sprintf(`{"seq":1,"thr":"t","ph":"call","op":"1","fn":%q,"cq":"c","n":4}`, fn),
			fmt.Sprintf(`{"seq":2,"thr":"t","ph":"ret","op":"1","fn":%q,`, fn)+result,
		)), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole.Warnings) != warned {
			t.Errorf("%s: %d warnings, want %d: %v", fn, len(whole.Warnings), warned, whole.Warnings)
		}
		r := whole.Events[1].Results[0]
		if plain := r.Type == "" && r.Token == nil && r.ProviderError == nil; plain != (warned > 0) {
			t.Errorf("%s returned %+v", fn, r)
		}
	}
}

// Once there was no room for a warning, no text of another is looked for: that may take a millisecond, for each of a million names.
func TestNoTextWithoutRoom(t *testing.T) {
	w := warnings{}
	for i := 0; !w.more; i++ {
		if what := fmt.Sprint(i); w.isNew(what) {
			w.add(i, what, strings.Repeat("x", maxWarningBytes/10))
		}
	}
	if w.isNew("another") {
		t.Errorf("another is looked for after %d, of %d bytes", len(w.list), w.bytes)
	}
}
