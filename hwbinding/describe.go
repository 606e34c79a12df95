package hwbinding

import (
	"os"
	"path/filepath"
	"strings"
)

const sysfs = "/sys/class/infiniband"

// describe describes what the system knows of the device; what it does not know is left out.
func describe(root, device string) map[string]string {
	d := map[string]string{"device": device}
	say := func(key, path string) {
		if text, err := os.ReadFile(path); err == nil && len(strings.TrimSpace(string(text))) > 0 {
			d[key] = strings.TrimSpace(string(text))
		}
	}
	say("kernel", "/proc/sys/kernel/osrelease")
	say("firmware", filepath.Join(root, device, "fw_ver"))
	say("node_guid", filepath.Join(root, device, "node_guid"))
	if driver, err := os.Readlink(filepath.Join(root, device, "device", "driver")); err == nil {
		d["driver"] = filepath.Base(driver)
	} else if _, err := os.Stat(filepath.Join(root, device, "parent")); err == nil {
		d["driver"] = "rdma_rxe" // a device that is not hardware, and names the network interface it lives on
	}
	return d
}
