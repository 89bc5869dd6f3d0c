package main

// A problem is a small broken program with the test that shows it.
type problem struct {
	name, family string
	symptom      string // what a user would say about it
	code, test   string // two files of package p
}

// problems are the broken programs, three of each family.
func problems() []problem {
	var all []problem
	for _, family := range [][]problem{bounds, maps, divisions, texts, aliases, units, waits, shadows} {
		all = append(all, family...)
	}
	return all
}

// family names the right pattern of a problem.
func (p problem) right() string { return p.family }
