//go:build !unix

package storetest

// cpuTime is the processor time that the process has used; not known here.
func cpuTime() int64 { return 0 }
