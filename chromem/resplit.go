package chromem

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/repute-go/repute/core"
)

// earlier is a chunk that a document had before.
type earlier struct {
	id   string
	text string
	body string // text without what it repeats
}

func earlierOf(c core.Candidate) earlier {
	repeated, err := strconv.Atoi(core.CanonicalID(c.Metadata[KeyOverlap]))
	if err != nil || repeated < 0 || repeated > len(c.Text) {
		repeated = 0
	}
	return earlier{c.ID, c.Text, strings.TrimLeftFunc(c.Text[repeated:], unicode.IsSpace)}
}

// split cuts a text into chunks. Chunks that the document had before and that
// are still in the text, in their order, stay as they are; only what lies between
// them is cut anew. So an inserted, changed or deleted sentence of up to 220
// characters changes at most two chunks.
func split(s *splitter, before []earlier) []piece {
	n := len(s.segments)
	if len(before) == 0 || n == 0 {
		return s.fresh(0, n)
	}
	var out []piece
	from, lastOld := 0, -1
	for _, next := range append(s.find(before), piece{first: n, last: n, old: len(before)}) {
		gap := span{from, next.first}
		gap, out, lastOld = s.widen(gap, out, lastOld)
		from = gap.from
		if next.first < n && s.joins(gap, next, before) {
			continue
		}
		out = append(out, inherit(s, s.refill(gap), before, lastOld+1, next.old)...)
		if next.first < n {
			out = append(out, next)
		}
		from, lastOld = next.last, next.old
	}
	if whole := s.fresh(0, n); len(out) > len(whole)+len(whole)/2+2 {
		return inherit(s, whole, before, 0, len(before)) // crumbs of many edits
	}
	return out
}

// span is a range of segments.
type span struct{ from, to int }

// refill cuts a gap: like a text of its own, unless that takes more than two
// chunks where two would do.
func (s *splitter) refill(gap span) []piece {
	out := s.fresh(gap.from, gap.to)
	if len(out) > 2 {
		if fewer := s.divide(gap.from, gap.to); len(fewer) <= 2 {
			return fewer
		}
	}
	return out
}

// widen takes the chunk before a gap into it, if the gap is a small rest of the
// same paragraph and both fit into one chunk.
func (s *splitter) widen(gap span, out []piece, lastOld int) (span, []piece, int) {
	if gap.from >= gap.to || len(out) == 0 || !s.continues(gap.from) || s.length(gap.from, gap.to) >= ChunkSize/4 {
		return gap, out, lastOld
	}
	last := out[len(out)-1]
	if s.length(last.first, gap.to) > s.room(last.first) {
		return gap, out, lastOld
	}
	gap.from = last.first
	if last.old >= 0 {
		lastOld = last.old - 1
	}
	return gap, out[:len(out)-1], lastOld
}

// joins reports whether a gap had better be cut together with the chunk behind
// it: because the gap is small and both fit into one chunk, or because that chunk
// now repeats something and has become too long.
func (s *splitter) joins(gap span, next piece, before []earlier) bool {
	if s.chunk(next) != before[next.old].text && utf8.RuneCountInString(s.chunk(next)) > ChunkSize {
		return true
	}
	return gap.from < gap.to && s.length(gap.from, gap.to) < ChunkSize/4 && s.length(gap.from, next.last) <= s.room(gap.from)
}

// inherit gives chunks the ids of those they replace: the same text first, then
// in order, among the earlier chunks [low, high).
func inherit(s *splitter, pieces []piece, before []earlier, low, high int) []piece {
	taken := make([]bool, max(high-low, 0))
	for i := range pieces {
		for j := range taken {
			if !taken[j] && before[low+j].text == s.chunk(pieces[i]) {
				pieces[i].old, taken[j] = low+j, true
				break
			}
		}
	}
	for i := range pieces {
		if j := slices.Index(taken, false); pieces[i].old < 0 && j >= 0 {
			pieces[i].old, taken[j] = low+j, true
		}
	}
	return pieces
}

// finder looks earlier chunks up in a text.
type finder struct {
	*splitter
	before       []earlier
	starts, ends map[int]int // segment by its first byte, segment behind by its last
}

// find looks the earlier chunks up in the text: as many as possible from the
// front, then from the back, then those in between that are found exactly once,
// as long as they are in order.
func (s *splitter) find(before []earlier) []piece {
	f := finder{s, before, make(map[int]int, len(s.segments)), make(map[int]int, len(s.segments))}
	for i, u := range s.segments {
		f.starts[u.start], f.ends[u.end] = i, i+1
	}
	var front, back []piece
	low, high := 0, len(before)
	from, to := 0, len(s.segments)
	for low < high && from < to {
		p, ok := f.at(low, from)
		if !ok {
			break
		}
		front = append(front, p)
		low, from = low+1, p.last
	}
	for low < high && from < to {
		first, ok := f.starts[s.segments[to-1].end-len(before[high-1].body)]
		if !ok || first < from {
			break
		}
		p, ok := f.at(high-1, first)
		if !ok {
			break
		}
		back = append(back, p)
		high, to = high-1, first
	}
	slices.Reverse(back)
	return slices.Concat(front, f.between(low, high, from, to), back)
}

// at returns the earlier chunk as a piece that begins with a segment, if the text
// there is the chunk's and ends where a segment does.
func (f finder) at(old, segment int) (piece, bool) {
	body, at := f.before[old].body, f.segments[segment].start
	last, ok := f.ends[at+len(body)]
	if !ok || body == "" || !strings.HasPrefix(f.text[at:], body) {
		return piece{}, false
	}
	p := f.piece(segment, last)
	p.old = old
	return p, true
}

// between finds earlier chunks [low, high) among the segments [from, to).
func (f finder) between(low, high, from, to int) []piece {
	if low >= high || from >= to {
		return nil
	}
	at := map[string][]int{}
	for i := from; i < to; i++ {
		key := opening(f.text[f.segments[i].start:])
		at[key] = append(at[key], i)
	}
	var found []piece
	for old := low; old < high; old++ {
		places := at[opening(f.before[old].body)]
		if len(places) != 1 {
			continue
		}
		if p, ok := f.at(old, places[0]); ok && p.last <= to {
			found = append(found, p)
		}
	}
	return ascending(found)
}

// opening is what chunks are looked up by.
func opening(text string) string { return text[:min(len(text), 24)] }

// ascending returns a longest subsequence of pieces, given in the order they had
// before, that is in the order of the text too, without overlaps.
func ascending(found []piece) []piece {
	from := make([]int, len(found)) // the one before it in the longest that ends here
	var tails []int                 // the one that ends the longest of each length
	for i, p := range found {
		k, _ := slices.BinarySearchFunc(tails, p, func(t int, p piece) int {
			if found[t].last <= p.first {
				return -1
			}
			return 1
		})
		from[i] = -1
		if k > 0 {
			from[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else if p.last < found[tails[k]].last {
			tails[k] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([]piece, len(tails))
	for i, k := tails[len(tails)-1], len(tails)-1; k >= 0; i, k = from[i], k-1 {
		out[k] = found[i]
	}
	return out
}
