// Package old does things the old way.
//
// Deprecated: Use package shop.
package old

// Do does it.
func Do() {}
