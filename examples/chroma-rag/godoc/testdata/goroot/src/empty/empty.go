//go:build never

// Package empty has nothing for this platform.
package empty
