//go:build race

package sqlite_test

// raced says that the race detector watches, under which the driver is some
// twenty times slower.
const raced = true
