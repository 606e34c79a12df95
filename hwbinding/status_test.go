package hwbinding

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ndkoracle/hwbinding/verbs"
	"ndkoracle/ndk"
)

// Every status of a completion has an NTSTATUS with a name; only success succeeds (RES-05), and only a flush is a
// cancellation (RES-08).
func TestStatusOf(t *testing.T) {
	for status := verbs.IBV_WC_SUCCESS; status <= verbs.IBV_WC_GENERAL_ERR+1; status++ {
		got := statusOf(status)
		if !strings.HasPrefix(got.String(), "STATUS_") {
			t.Errorf("%v is %v, which is not documented", status, got)
		}
		if (got == ndk.STATUS_SUCCESS) != (status == verbs.IBV_WC_SUCCESS) {
			t.Errorf("%v is %v", status, got)
		}
		if (got == ndk.STATUS_CANCELLED) != (status == verbs.IBV_WC_WR_FLUSH_ERR) {
			t.Errorf("%v is %v", status, got)
		}
	}
}

// A refusal is never a success.
func TestRefusalOf(t *testing.T) {
	for err, want := range map[error]ndk.Status{
		nil: ndk.STATUS_SUCCESS,
		&verbs.Error{Call: "ibv_post_send", Errno: syscall.ENOMEM}: ndk.STATUS_INSUFFICIENT_RESOURCES,
		&verbs.Error{Call: "ibv_post_send", Errno: syscall.EINVAL}: ndk.STATUS_INVALID_PARAMETER,
		&verbs.Error{Call: "ibv_alloc_mw", Errno: syscall.ENOSYS}:  ndk.STATUS_NOT_SUPPORTED,
		&verbs.Error{Call: "ibv_post_send", Errno: syscall.ENODEV}: ndk.STATUS_INTERNAL_ERROR,
		errors.New("no errno"): ndk.STATUS_INTERNAL_ERROR,
	} {
		if got := refusalOf(err); got != want {
			t.Errorf("%v is %v, want %v", err, got, want)
		}
	}
}

// Not being allowed to lock memory is said with the limit and the remedy; other errors stay as they are.
func TestExplainLocking(t *testing.T) {
	text := explainLocking(&verbs.Error{Call: "ibv_reg_mr", Errno: syscall.ENOMEM}).Error()
	for _, want := range []string{"lock memory", "RLIMIT_MEMLOCK", "ulimit -l unlimited", "ibv_reg_mr"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if other := errors.New("other"); explainLocking(other) != other {
		t.Error("another error was changed")
	}
	if explainLocking(nil) != nil {
		t.Error("no error became one")
	}
}

// The description has what the system says of the device, and nothing that it does not say.
func TestDescribe(t *testing.T) {
	root := t.TempDir()
	device := filepath.Join(root, "rxe7")
	if err := os.Mkdir(device, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"fw_ver": "\n", "node_guid": "0011:2233:4455:6677\n", "parent": "eth0\n"} {
		if err := os.WriteFile(filepath.Join(device, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := describe(root, "rxe7")
	if got["device"] != "rxe7" || got["driver"] != "rdma_rxe" || got["node_guid"] != "0011:2233:4455:6677" {
		t.Errorf("described as %v", got)
	}
	if _, said := got["firmware"]; said {
		t.Errorf("an empty firmware version is described: %v", got)
	}
}
