package execprovider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// mostLine is how long a line of the program may be, in bytes.
const mostLine = 1 << 20

// message is a line: a call where it has a method, or else an answer.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is why a call was not carried out.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// methodNotFound is the code of JSON-RPC for a method that there is none of.
const methodNotFound = -32601

func (e *rpcError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// errEnded is that nothing more comes from the program.
var errEnded = errors.New("the program ended")

// A wire carries calls both ways. Calls of the program are handed to handle, in the order of its lines, one at a time; it returns what answers the call, to
// be called on a goroutine of its own where it may take long.
type wire struct {
	handle func(method string, params json.RawMessage) (answer func() (any, error), err error)

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	last    uint64
	waiting map[string]chan message // by id
	ended   error
	calls   sync.WaitGroup // of the program, that are being answered
}

func newWire(out io.Writer, handle func(string, json.RawMessage) (func() (any, error), error)) *wire {
	return &wire{out: out, handle: handle, waiting: map[string]chan message{}}
}

// call calls a method of the program. The answer comes on the channel, which is closed without one when nothing more comes.
func (w *wire) call(method string, params any) (<-chan message, error) {
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	answer := make(chan message, 1)
	w.mu.Lock()
	w.last++
	id := strconv.FormatUint(w.last, 10)
	ended := w.ended
	if ended == nil {
		w.waiting[id] = answer
	}
	w.mu.Unlock()
	if ended != nil {
		return nil, ended
	}
	if err := w.write(message{ID: json.RawMessage(id), Method: method, Params: encoded}); err != nil {
		return nil, fmt.Errorf("%s could not be told to the program: %w", method, err)
	}
	return answer, nil
}

func (w *wire) write(m message) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	_, err = w.out.Write(append(line, '\n'))
	return err
}

// read reads lines until the program ends, or says what it must not. It returns why.
func (w *wire) read(in io.Reader) error {
	err := w.readLines(in)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = err
	for id, answer := range w.waiting {
		delete(w.waiting, id)
		close(answer)
	}
	return err
}

func (w *wire) readLines(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 4<<10), mostLine)
	for n := 1; lines.Scan(); n++ {
		if err := w.take(lines.Bytes()); err != nil {
			return fmt.Errorf("line %d of the program, %s: %w", n, shortened(lines.Bytes()), err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line of the program has more than %d bytes", mostLine)
	}
	return errors.Join(errEnded, lines.Err())
}

// shortened quotes the beginning of a line.
func shortened(line []byte) string {
	const most = 120
	if len(line) > most {
		return strconv.Quote(string(line[:most])) + "…"
	}
	return strconv.Quote(string(line))
}

func (w *wire) take(line []byte) error {
	var m message
	decoder := json.NewDecoder(bytes.NewReader(line))
	if err := decoder.Decode(&m); err != nil {
		return fmt.Errorf("is not a JSON object: %w", err)
	}
	if m.Version != "2.0" {
		return errors.New(`has no "jsonrpc": "2.0"`)
	}
	if m.Method != "" {
		return w.called(m)
	}
	id := string(m.ID)
	w.mu.Lock()
	answer, known := w.waiting[id]
	delete(w.waiting, id)
	w.mu.Unlock()
	if !known {
		return fmt.Errorf("answers call %s, and no such call waits for an answer", id)
	}
	answer <- m
	return nil
}

// called hands a call of the program on, and answers it. A notification, which has no id, is not answered.
func (w *wire) called(m message) error {
	answer, err := w.handle(m.Method, m.Params)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Method, err)
	}
	id := bytes.Clone(m.ID)
	w.calls.Add(1)
	go func() {
		defer w.calls.Done()
		result, err := answer()
		if len(id) == 0 {
			return
		}
		reply := message{ID: id}
		if reply.Result, _ = json.Marshal(result); err != nil {
			reply.Result, reply.Error = nil, &rpcError{Code: -32000, Message: err.Error()}
		}
		_ = w.write(reply) // a program that does not read any more is found out by the next call
	}()
	return nil
}
