//go:build !cgo

package weir

// The package calls a library written in C: set CGO_ENABLED=1 and install a C compiler.
type _ weir_needs_cgo
