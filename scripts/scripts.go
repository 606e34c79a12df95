// Package scripts has the scripts that ndkrecord guest needs, so that it can run without the repository.
package scripts

import "embed"

// Guest are guest.sh and what it calls.
//
//go:embed guest.sh guest-kernel.sh guest-init install.sh messages.sh apt.sh
var Guest embed.FS
