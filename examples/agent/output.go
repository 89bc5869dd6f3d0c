package main

import (
	"bytes"
	"strings"
)

// bounded is a writer that keeps the first bytes and the last few of what it gets
// and drops the rest.
type bounded struct {
	most int
	head []byte
	last []byte
}

const tailBytes = 64

func (b *bounded) Write(p []byte) (int, error) {
	b.head = append(b.head, p[:min(len(p), b.most-len(b.head))]...)
	b.last = append(b.last, p[max(0, len(p)-tailBytes):]...)
	b.last = b.last[max(0, len(b.last)-tailBytes):]
	return len(p), nil
}

// tail is the end of what was written.
func (b *bounded) tail() []byte { return b.last }

// shorten keeps the first n bytes of an output.
func shorten(out []byte, n int) string {
	if len(out) > n {
		out = append(out[:n:n], " ..."...)
	}
	return strings.TrimSpace(string(bytes.ToValidUTF8(out, []byte("?"))))
}
