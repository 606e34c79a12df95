// Package tla holds the contract's modules, for programs that run without the repository.
package tla

import "embed"

// Modules are the modules of this folder.
//
//go:embed *.tla
var Modules embed.FS
