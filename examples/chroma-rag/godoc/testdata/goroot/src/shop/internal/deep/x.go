// Package x must not be read.
package x

// X is hidden.
func X() {}
