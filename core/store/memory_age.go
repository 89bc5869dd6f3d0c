package store

import (
	"cmp"
	"container/heap"
	"slices"
)

// ageQueue finds the oldest of many keys; of keys of one age, the smallest. A
// key may be pushed again with a new time: its older entry then no longer holds
// and is skipped by whoever pops it.
type ageQueue struct {
	heap ageHeap
}

type aged struct {
	key  string
	time int64
}

func (a aged) compare(b aged) int {
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.key, b.key))
}

func (q *ageQueue) push(key string, time int64) { heap.Push(&q.heap, aged{key, time}) }

// pop removes and returns the oldest entry.
func (q *ageQueue) pop() (e aged, ok bool) {
	if len(q.heap) == 0 {
		return aged{}, false
	}
	return heap.Pop(&q.heap).(aged), true
}

// keep drops every entry that holds does not keep.
func (q *ageQueue) keep(holds func(aged) bool) {
	q.heap = slices.DeleteFunc(q.heap, func(e aged) bool { return !holds(e) })
	heap.Init(&q.heap)
}

type ageHeap []aged

func (h ageHeap) Len() int           { return len(h) }
func (h ageHeap) Less(i, j int) bool { return h[i].compare(h[j]) < 0 }
func (h ageHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ageHeap) Push(x any)        { *h = append(*h, x.(aged)) }
func (h *ageHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = aged{}
	*h = (*h)[:last]
	return x
}
