package execprovider

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"ndkoracle/ndk"
)

// asProgram is set in the environment of a test binary that is to be a provider.
const asProgram = "NDK_EXECPROVIDER_FAULT"

// TestMain lets the tests run this binary as a program that is no good provider.
func TestMain(m *testing.M) {
	if fault := os.Getenv(asProgram); fault != "" {
		provide(fault)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// provide answers calls as long as a fault lets it.
func provide(fault string) {
	said := map[string]string{
		"Open":              `{"version":"2.1","max_cq_depth":8}`,
		"NdkCreateCq":       `{"status":"STATUS_SUCCESS"}`,
		"NdkGetCqResults":   `{"results":[]}`,
		"NdkGetCqResultsEx": `{"results":[]}`,
		"NdkCloseCq":        `{"status":"STATUS_PENDING"}`,
		"NdkCloseAdapter":   `{}`,
		"NdkArmCq":          `{}`,
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var call message
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			panic(err)
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, said[call.Method])
		if call.Method == "Open" && !strings.HasPrefix(fault, "Open ") {
			fmt.Println(answer)
			continue
		}
		switch strings.TrimPrefix(fault, "Open ") {
		case "none":
			fmt.Println(answer)
		case "garbage":
			fmt.Println("Segmentation fault")
		case "old":
			fmt.Println(`{"id":1,"result":{}}`)
		case "silent":
		case "deaf":
			time.Sleep(time.Hour)
		case "ends":
			return
		case "fails":
			os.Exit(7)
		case "unasked":
			fmt.Println(`{"jsonrpc":"2.0","id":999,"result":{}}`)
		case "long":
			fmt.Println(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 2<<20) + `"}`)
		case "status":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"status":"STATUS_FINE"}}`+"\n", call.ID)
		case "no status", "version":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", call.ID)
		case "no result":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s}`+"\n", call.ID)
		case "error":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}`+"\n", call.ID)
		case "method":
			fmt.Println(`{"jsonrpc":"2.0","id":1,"method":"NdkMakeCoffee","params":{}}`)
		case "memory":
			fmt.Println(`{"jsonrpc":"2.0","id":1,"method":"ReadMemory","params":{"address":4096,"length":8}}`)
		case "negative":
			fmt.Println(`{"jsonrpc":"2.0","id":1,"method":"ReadMemory","params":{"address":4096,"length":-8}}`)
		case "no cq":
			fmt.Println(`{"jsonrpc":"2.0","id":1,"method":"NdkCqNotificationCallback","params":{"cq":"cq77","status":"STATUS_SUCCESS"}}`)
		case "no close":
			fmt.Println(`{"jsonrpc":"2.0","id":1,"method":"NdkCloseCompletion","params":{"object":"cq77"}}`)
		case "too many":
			if call.Method == "NdkGetCqResults" {
				answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"results":[{"wr":"w1","status":"STATUS_SUCCESS"},{"wr":"w2","status":"STATUS_SUCCESS"}]}}`, call.ID)
			}
			fmt.Println(answer)
		case "result":
			if call.Method == "NdkGetCqResults" {
				answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"results":[{"wr":"w1"}]}}`, call.ID)
			}
			fmt.Println(answer)
		}
	}
}

// open opens this binary as a provider with a fault.
func open(t *testing.T, fault string, answer time.Duration) (*Adapter, <-chan error, error) {
	t.Helper()
	t.Setenv(asProgram, fault)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // else a program with the race detector ends a second late
	failed := make(chan error, 1)
	a, err := Open(t.Context(), Options{Command: []string{os.Args[0]}, Stderr: os.Stderr, Answer: answer, Failed: func(err error) { failed <- err }}, 1)
	return a, failed, err
}

// What a program says wrong, or does not say, ends the run with an error that says what it was. Nothing hangs, and no goroutine is left.
func TestFaults(t *testing.T) {
	before := runtime.NumGoroutine()
	for fault, want := range map[string]string{
		"garbage":   `line 2 of the program, "Segmentation fault": is not a JSON object`,
		"old":       `has no "jsonrpc": "2.0"`,
		"silent":    "NdkCreateCq was not answered within 2s",
		"deaf":      "NdkCreateCq was not answered within 2s",
		"ends":      "the program ended",
		"fails":     "the program ended: exit status 7",
		"unasked":   "answers call 999, and no such call waits for an answer",
		"long":      "a line of the program has more than 1048576 bytes",
		"status":    `NdkCreateCq: the result "{\"status\":\"STATUS_FINE\"}": "STATUS_FINE" is neither an NTSTATUS name`,
		"no status": "NdkCreateCq: the result has no status",
		"no result": "NdkCreateCq: the answer has neither a result nor an error",
		"method":    "NdkMakeCoffee: there is no such method",
		"memory":    "ReadMemory: no registered memory holds 8 bytes at address 4096",
		"negative":  "ReadMemory: no registered memory holds -8 bytes at address 4096",
		"no cq":     `NdkCqNotificationCallback: there is no CQ "cq77"`,
		"no close":  `NdkCloseCompletion: no close of "cq77" was asked for`,
		"too many":  "NdkGetCqResults: 2 results for the room of 1 (POLL-02)",
		"result":    "NdkGetCqResults: a result has no status",
	} {
		t.Run(fault, func(t *testing.T) {
			a, failed, err := open(t, fault, 2*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			over := make(chan struct{})
			go func() { // a call that is not answered returns once the adapter was released
				defer close(over)
				if cq, status := a.NdkCreateCq(8, nil); status == ndk.STATUS_SUCCESS {
					cq.NdkGetCqResults(make([]ndk.Result, 1))
				}
			}()
			select {
			case err := <-failed:
				if !strings.Contains(err.Error(), want) {
					t.Errorf("said %q, want %q", err, want)
				}
			case <-time.After(20 * time.Second):
				t.Error("the run goes on")
			}
			a.Release()
			<-over
			if a.Err() == nil {
				t.Error("Err says nothing")
			}
		})
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before+1 && time.Now().Before(deadline); { // process has one for good
		time.Sleep(time.Millisecond)
	}
	if now := runtime.NumGoroutine(); now > before+1 {
		t.Errorf("%d goroutines before, %d after", before, now)
	}
}

// A program that is none, or does not say what it is, can't be opened.
func TestOpenFails(t *testing.T) {
	for fault, want := range map[string]string{
		"Open garbage": "is not a JSON object",
		"Open version": `it tells the version "" of NDKPI`,
		"Open ends":    "the program ended",
		"Open silent":  "Open was not answered within 1s",
	} {
		if a, _, err := open(t, fault, time.Second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", fault, a, err, want)
		}
	}
	if _, err := Open(t.Context(), Options{Command: []string{"/no/such/program"}}, 1); err == nil || !strings.Contains(err.Error(), "can't be started") {
		t.Errorf("no program: %v", err)
	}
	if _, err := Open(t.Context(), Options{}, 1); err == nil {
		t.Error("no command, and no error")
	}
}

// What a program does not have is not supported, and the run goes on.
func TestUnsupported(t *testing.T) {
	a, failed, err := open(t, "error", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, status := a.NdkCreateCq(8, nil); status != ndk.STATUS_NOT_SUPPORTED {
		t.Errorf("NdkCreateCq: %v, want %v", status, ndk.STATUS_NOT_SUPPORTED)
	}
	select {
	case err := <-failed:
		t.Error(err)
	default:
	}
	a.Release()
}

// A program that keeps the protocol ends with its adapter, and there is nothing to say of it.
func TestEnds(t *testing.T) {
	a, _, err := open(t, "none", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	cq, status := a.NdkCreateCq(8, nil)
	if status != ndk.STATUS_SUCCESS {
		t.Fatal(status)
	}
	if n := cq.NdkGetCqResults(make([]ndk.Result, 1)); n != 0 {
		t.Errorf("%d results", n)
	}
	a.NdkCloseAdapter()
	a.Release()
	if err := a.Err(); err != nil {
		t.Error(err)
	}
}
