package main

import "slices"

// A problem is a small broken program with the test that shows it.
type problem struct {
	name, family string
	reports      [2]string // what users say about it, each in own words
	code, test   string    // two files of package p
}

// problems are the broken programs, three of each family. The pattern that is named
// after the family mends all three.
func problems() []problem {
	return slices.Concat(bounds, maps, divisions, texts, aliases, units, waits, shadows)
}
