package trace

import "testing"

// An errno is read as Linux names it, whichever way it is spelt: so a wait that ended with EWOULDBLOCK found no event, as with EAGAIN (ARM-03).
func TestErrnoIsReadAsLinuxNamesIt(t *testing.T) {
	for word, want := range map[string]string{"EAGAIN": "EAGAIN", "EWOULDBLOCK": "EAGAIN", "11": "EAGAIN", "-11": "EAGAIN", "ENOTSUP": "EOPNOTSUPP",
		"95": "EOPNOTSUPP", "EINTR": "EINTR", "0": "", "EOTHER": "EOTHER", "133": "133"} {
		if got, err := errnoWord(word); err != nil || got != want {
			t.Errorf("errno %s is read as %q, error %v, want %q", word, got, err, want)
		}
	}
}
