package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ndkoracle/ndk"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("trace.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("trace.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// judges asserts that reader and schema both accept a line, or both refuse it. before are lines that the reader needs to
// have seen.
func judges(t *testing.T, s *jsonschema.Schema, accept bool, line string, before ...string) {
	t.Helper()
	_, readErr := Read("f", strings.NewReader(lines(append(before, line)...)), 0)
	if (readErr == nil) != accept {
		t.Errorf("reader: %v, want accepted %v: %s", readErr, accept, line)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if schemaErr := s.Validate(value); (schemaErr == nil) != accept {
		t.Errorf("schema: %v, want accepted %v: %s", schemaErr, accept, line)
	}
}

// sample has a value for each field that a function may require.
var sample = map[string]string{
	"cq": `"c"`, "qp": `"q"`, "srq": `"s"`, "mr": `"m"`, "mw": `"m"`, "conn": `"n"`, "receive_cq": `"c"`, "recv_cq": `"c"`,
	"initiator_cq": `"c"`, "send_cq": `"c"`, "depth": `1`, "state": `"RTS"`, "wr": `"w"`, "wrs": `[{"wr":"w"}]`,
	"type": `1`, "token": `1`, "n": `1`, "status": `0`, "errno": `"EINVAL"`, "results": `[]`, "for": `"0"`,
	"solicited_only": `true`,
}

func sampleLine(seq int, ph Phase, fn string, fields []field) string {
	line := fmt.Sprintf(`{"seq":%d,"thr":"t","ph":%q,"op":"1","fn":%q`, seq, ph, fn)
	for _, f := range fields {
		line += fmt.Sprintf(`,%q:%s`, f, sample[f.String()])
	}
	return line + "}"
}

// Reader and schema require the same of each function in each phase.
func TestSchemaRequires(t *testing.T) {
	s := compileSchema(t)
	earlier := `{"seq":1,"thr":"t","ph":"call","op":"0","fn":"NdkCloseAdapter"}`
	for _, fn := range slices.Sorted(maps.Keys(functions)) {
		f := functions[fn]
		var begin []field
		for _, oneOf := range f.begin.required {
			begin = append(begin, oneOf[0])
		}
		before := []string{earlier, sampleLine(2, f.kind.begins(), fn, begin)}
		judgePhase(t, s, 2, f.kind.begins(), fn, f.begin.required, earlier)
		if f.kind != points {
			judgePhase(t, s, 3, f.kind.ends(), fn, f.end.required, before...)
		}
		wrong := map[kind]Phase{calls: Enter, callbacks: Call, points: Call}[f.kind]
		judges(t, s, false, sampleLine(2, wrong, fn, begin), earlier)
	}
}

// judgePhase judges lines with all required fields, with each of two alternatives, and with any one field missing.
func judgePhase(t *testing.T, s *jsonschema.Schema, seq int, ph Phase, fn string, fields [][]field, before ...string) {
	t.Helper()
	with := func(skip int, choice int) string {
		var given []field
		for i, oneOf := range fields {
			if i != skip {
				given = append(given, oneOf[choice%len(oneOf)])
			}
		}
		return sampleLine(seq, ph, fn, given)
	}
	judges(t, s, true, with(-1, 0), before...)
	judges(t, s, true, with(-1, 1), before...)
	for i := range fields {
		judges(t, s, false, with(i, 0), before...)
	}
}

// The functions that the schema lists are those that the reader knows, and the document names them all.
func TestFunctionsAreListed(t *testing.T) {
	var document struct {
		Defs map[string]struct {
			Enum []string `json:"enum"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &document); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, list := range []string{"ndkCalls", "ndkCallbacks", "verbsCalls", "verbsCallbacks", "pointNames"} {
		listed = append(listed, document.Defs[list].Enum...)
	}
	slices.Sort(listed)
	known := slices.Sorted(maps.Keys(functions))
	if !slices.Equal(listed, known) {
		t.Errorf("schema lists %q\nreader knows %q", listed, known)
	}
	text, err := os.ReadFile("../docs/trace-functions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range known {
		if !bytes.Contains(text, []byte("`"+fn+"`")) {
			t.Errorf("docs/trace-functions.md does not name %s", fn)
		}
	}
	for fn, f := range functions {
		for _, required := range slices.Concat(append(f.begin.required, f.end.required...)...) {
			if sample[required.String()] == "" {
				t.Errorf("%s requires %q, of which there is no sample", fn, required)
			}
		}
	}
}

// macros are the prefixes with which a word may be written, by function and fields.
var macros = map[string][]string{
	`NdkArmCq"type":%s,"cq":"c"`:                            {"NDK_CQ_NOTIFY_"},
	`NdkSend"flags":[%s],"qp":"q","wr":"w"`:                 {"NDK_OP_FLAG_"},
	`ibv_modify_qp"state":%s,"qp":"q"`:                      {"IBV_QPS_", "IB_QPS_"},
	`ibv_post_send"qp":"q","wrs":[{"wr":"w","flags":[%s]}]`: {"IBV_SEND_", "IB_SEND_"},
}

// Reader and schema know the same words and the same limits.
func TestSchemaWords(t *testing.T) {
	s := compileSchema(t)
	call := func(fn, fields string) string {
		return fmt.Sprintf(`{"seq":2,"thr":"t","ph":"call","op":"1","fn":%q,%s}`, fn, fields)
	}
	ret := func(accept bool, fn, begin, fields string) {
		t.Helper()
		before := fmt.Sprintf(`{"seq":1,"thr":"t","ph":"call","op":"1","fn":%q,%s}`, fn, begin)
		judges(t, s, accept, fmt.Sprintf(`{"seq":2,"thr":"t","ph":"ret","op":"1","fn":%q,%s}`, fn, fields), before)
	}
	for name, words := range map[string][]string{
		`"type":%s,"cq":"c"` + "/NdkArmCq":                        {"ERRORS", "ANY", "SOLICITED"},
		`"flags":[%s],"qp":"q","wr":"w"` + "/NdkSend":             ndk.OpFlags(0x3FF &^ 0x10).Names(),
		`"state":%s,"qp":"q"` + "/ibv_modify_qp":                  qpStates.names(),
		`"qp":"q","wrs":[{"wr":"w","flags":[%s]}]/ibv_post_send`:  sendFlags[:],
		`"errno":%s,"qp":"q"` + "/ibv_query_qp":                   slices.Collect(maps.Values(errnoNames)),
		`"cq":"c","wr":"w","status":%s,"qp":"q"` + "/ibv_bind_mw": nil,
	} {
		fields, fn, _ := strings.Cut(name, "/")
		if fn == "ibv_bind_mw" {
			fields += `,"mw":"m"`
			words = wcStatuses.names()
		}
		for _, word := range append(slices.Clone(words), "0", "4294967295") {
			judges(t, s, true, call(fn, fmt.Sprintf(fields, fmt.Sprintf("%q", word))))
		}
		judges(t, s, true, call(fn, fmt.Sprintf(fields, "7")))
		for _, word := range words {
			for _, macro := range macros[fn+fields] {
				if strings.HasPrefix(word, "0x") {
					continue
				}
				judges(t, s, true, call(fn, fmt.Sprintf(fields, fmt.Sprintf("%q", macro+word))))
			}
		}
		for _, value := range []string{`"nonsense"`, `"any"`, `"4294967296"`, `"01"`, `4294967296`, `null`, `{}`, `""`, `1.5`} {
			judges(t, s, false, call(fn, fmt.Sprintf(fields, value)))
		}
	}
	for _, severity := range []ndk.Status{0, 0x80000000, 0xC0000000} {
		for status := severity; status < severity+0x10000; status++ {
			if name := status.String(); strings.HasPrefix(name, "STATUS_") {
				ret(true, "NdkFlush", `"qp":"q"`, fmt.Sprintf(`"status":%q`, name))
			}
		}
	}
	for _, status := range []string{"STATUS_PENDING", "STATUS_IMPLEMENTATION_LIMIT", "STATUS_FINE", "-1073741536", "-2147483648", "-1", "0xC0000120", "0xc0000120", "0x0", "0x00000000001"} {
		ret(true, "NdkFlush", `"qp":"q"`, fmt.Sprintf(`"status":%q`, status))
	}
	for _, status := range []string{"STATUS_", "STATUS_fine", "-2147483649", "-0", "0x", "0x100000000", "0X1", "C0000120", "IBV_WC_SUCCESS"} {
		ret(false, "NdkFlush", `"qp":"q"`, fmt.Sprintf(`"status":%q`, status))
		ret(false, "NdkGetCqResults", `"cq":"c","n":1`, fmt.Sprintf(`"results":[{"wr":"w","status":%q}]`, status))
	}
	for _, kind := range []string{"Receive", "Send", "FastRegister", "Bind", "Invalidate", "Read", "Write", "ReceiveAndInvalidate"} {
		ret(true, "NdkGetCqResultsEx", `"cq":"c","n":1`, fmt.Sprintf(`"results":[{"wr":"w","status":0,"type":%q}]`, kind))
	}
	ret(true, "NdkGetCqResultsEx", `"cq":"c","n":1`, `"results":[{"wr":1,"status":-1073741536,"type":"Sent"}]`)
	ret(false, "NdkGetCqResultsEx", `"cq":"c","n":1`, `"results":[{"wr":-1,"status":0}]`)
	ret(false, "NdkFlush", `"qp":"q"`, `"status":-2147483649`)
	for _, opcode := range wcOpcodes.names() {
		ret(true, "ibv_poll_cq", `"cq":"c","n":1`, fmt.Sprintf(`"results":[{"wr":"w","status":0,"opcode":%q}]`, opcode))
	}
	ret(true, "ibv_poll_cq", `"cq":"c","n":1`, `"results":[{"wr":"w","status":0,"opcode":"RECEIVE"}]`)
	ret(true, "ibv_poll_cq", `"cq":"c","n":1`, `"errno":-22`)
	for _, event := range asyncEvents.names() {
		ret(true, "ibv_get_async_event", `"t":1`, fmt.Sprintf(`"type":%q`, event))
	}
	ret(true, "ibv_get_async_event", `"t":1`, `"type":"CQ_ERROR"`)
	point := func(accept bool, status string) {
		t.Helper()
		judges(t, s, accept, fmt.Sprintf(`{"seq":1,"thr":"t","ph":"point","fn":"CqePlaced","cq":"c","wr":"w","status":%q}`, status))
	}
	point(true, "IBV_WC_SUCCESS")
	point(true, "STATUS_CANCELLED")
	point(true, "IBV_WC_GOOD")
	point(true, "IB_WC_WR_FLUSH_ERR")
	point(true, "WR_FLUSH_ERR")
	point(false, "IBV_WC_good")
}

// Reader and schema agree on the form of lines: what is required of all, and the kinds and limits of values.
func TestSchemaForm(t *testing.T) {
	s := compileSchema(t)
	long := strings.Repeat("é", 256)
	for line, accept := range map[string]bool{
		armCall: true,
		`{"seq":0,"thr":"t","ph":"point","fn":"quiesce"}`:                                                       true,
		`{"seq":9223372036854775807,"t":9223372036854775807,"thr":"t","ph":"point","fn":"quiesce"}`:             true,
		`{"seq":1,"thr":"t","ph":"point","fn":"quiesce","later":[{"a":null}]}`:                                  true,
		`{"seq":1,"thr":"t","ph":"point","fn":"new","status":"any","type":"thing","flags":["x"],"errno":"?"}`:   true,
		`{"seq":1,"thr":"t","ph":"call","op":9223372036854775807,"fn":"new"}`:                                   true,
		`{"seq":1,"thr":"` + long + `","ph":"point","fn":"quiesce"}`:                                            true,
		`{"rec":"end","events":0,"dropped":3,"quiescent":false,"later":1}`:                                      true,
		`{"seq":9223372036854775808,"thr":"t","ph":"point","fn":"quiesce"}`:                                     false,
		`{"seq":"1","thr":"t","ph":"point","fn":"quiesce"}`:                                                     false,
		`{"thr":"t","ph":"point","fn":"quiesce"}`:                                                               false,
		`{"seq":1,"ph":"point","fn":"quiesce"}`:                                                                 false,
		`{"seq":1,"thr":"t","fn":"quiesce"}`:                                                                    false,
		`{"seq":1,"thr":"t","ph":"point"}`:                                                                      false,
		`{"seq":1,"thr":"t","ph":"call","fn":"new"}`:                                                            false,
		`{"seq":1,"thr":"t","ph":"begin","op":"1","fn":"new"}`:                                                  false,
		`{"seq":1,"thr":"` + long + `x","ph":"point","fn":"quiesce"}`:                                           false,
		`{"seq":1,"thr":"a\u001bb","ph":"point","fn":"quiesce"}`:                                                false,
		`{"seq":1,"thr":"a\u0085b","ph":"point","fn":"quiesce"}`:                                                false,
		`{"seq":1,"thr":"a\ufffdb","ph":"point","fn":"quiesce"}`:                                                false,
		`{"seq":1,"thr":"","ph":"point","fn":"quiesce"}`:                                                        false,
		`{"seq":1,"t":-1,"thr":"t","ph":"point","fn":"quiesce"}`:                                                false,
		`{"seq":1,"thr":"t","ph":"point","fn":"quiesce","token":4294967296}`:                                    false,
		`{"seq":1,"thr":"t","ph":"point","fn":"quiesce","solicited":"yes"}`:                                     false,
		`{"seq":1,"thr":"t","ph":"point","fn":"quiesce","wrs":[{}]}`:                                            false,
		`{"seq":1,"thr":"t","ph":"point","fn":"quiesce","results":[{"wr":"w"}]}`:                                false,
		`{"seq":1,"thr":"t","ph":"point","fn":"quiesce","flags":[` + strings.Repeat(`"x",`, 32) + `"x"]}`:       false,
		`{"seq":1,"thr":"t","ph":"call","op":"1","fn":"ibv_create_qp","qp":"q","receive_cq":"c","send_cq":"c"}`: false,
		`{"seq":1,"thr":"t","ph":"call","op":"1","fn":"NdkCreateQp","qp":"q","recv_cq":"c","initiator_cq":"c"}`: false,
		`{"rec":"end","events":0,"dropped":0}`:                                                                  false,
		`{"rec":"end","events":-1,"dropped":0,"quiescent":true}`:                                                false,
		`{"rec":"end","events":0,"dropped":0,"quiescent":1}`:                                                    false,
		`{"rec":"note"}`: false,
	} {
		judges(t, s, accept, line)
	}
	header := strings.TrimSpace(testHeader)
	for change, accept := range map[string]bool{
		`"v":"1.0"/"v":"1.12"`:              true,
		`"ndkpi"/"verbs"`:                   true,
		`"rec"/"adapter":{"a":"b"},"rec"`:   true,
		`"rec"/"clock":{"unit":"ns"},"rec"`: true,
		`"v":"1.0"/"v":"2.0"`:               false,
		`"v":"1.0"/"v":"1"`:                 false,
		`"v":"1.0"/"v":1.0`:                 false,
		`"ndk-trace"/"trace"`:               false,
		`"ndkpi"/"NDKPI"`:                   false,
		`"total"/"some"`:                    false,
		`"side"/"sides"`:                    false,
		`"rec"/"adapter":{"a":1},"rec"`:     false,
		`"rec"/"run":[],"rec"`:              false,
		`"rec"/"ndk":"\u0007","rec"`:        false,
		`"rec"/"clock":{"unit":"s"},"rec"`:  false,
	} {
		old, new, _ := strings.Cut(change, "/")
		line := strings.Replace(header, old, new, 1)
		_, readErr := Read("f", strings.NewReader(line+"\n"), 0)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		schemaErr := s.Validate(value)
		if (readErr == nil) != accept || (schemaErr == nil) != accept {
			t.Errorf("reader: %v, schema: %v, want accepted %v: %s", readErr, schemaErr, accept, line)
		}
	}
}

// The document names, in the row of each function, the optional fields that events of it have beside those of all.
func TestOptionalFieldsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/trace-functions.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if names, _, row := strings.Cut(strings.TrimPrefix(line, "| "), " | "); row && strings.HasPrefix(line, "| `") {
			for name := range strings.SplitSeq(names, ", ") {
				rows[strings.Trim(name, "`")] += line
			}
		}
	}
	for fn, f := range functions {
		for _, optional := range slices.Concat(f.begin.optional, f.end.optional) {
			if !strings.Contains(rows[fn], "`"+optional.String()+"`") {
				t.Errorf("docs/trace-functions.md: the row of %s does not name %s", fn, optional)
			}
		}
	}
}
