package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/repute-go/repute/core/lifecycle"
)

// maxEmbedded is the length in bytes to which a text is cut to be embedded.
const maxEmbedded = 2000

// claim obtains the text that the library keeps of a document: what its source
// says it is now, else the chunks shown, else the caller's own.
func (l *Library) claim(ctx context.Context, d document, shown []Candidate, own string) (lifecycle.Claim, error) {
	c := lifecycle.Claim{Source: storable(d.name)}
	now, err := l.present(ctx, d)
	switch {
	case errors.Is(err, ErrUnsupported):
	case err != nil:
		return c, err
	case now != "":
		c.Hash = contentHash(now).String()
	}
	switch {
	case now != "" && len(now) <= lifecycle.MaxText:
		c.Text, c.Origin = now, lifecycle.FromLoader
	case len(shown) > 0:
		fromChunks(&c, shown)
	case own != "":
		c.Text, c.Origin = own, lifecycle.FromCaller
	case now != "":
		return c, fmt.Errorf("core: %.80q: %w: %d bytes", d.id, lifecycle.ErrTooLarge, len(now))
	}
	if c.Hash == "" {
		c.Hash = contentHash(c.Text).String()
	}
	c.Vector, c.Model = vectorOf(ctx, d.source, c.Text, shown)
	return c, nil
}

// present asks the source what the document is now. ErrUnsupported means that it
// cannot say.
func (l *Library) present(ctx context.Context, d document) (string, error) {
	loader, ok := d.source.(Loader)
	if !ok {
		return "", ErrUnsupported
	}
	loaded, err := l.engine.loadDocument(ctx, loader, l.user, d.id)
	switch {
	case err != nil:
		return "", fmt.Errorf("core: load %.80q: %w", d.id, err)
	case !loaded.Exists:
		return "", fmt.Errorf("%w: %.80q", ErrGone, d.id)
	case !loaded.Allowed:
		return "", fmt.Errorf("%w: %.80q", ErrForbidden, d.id)
	}
	return loaded.Text, nil
}

// fromChunks makes a text of chunks in the order of the document. The text of a
// chunk that another one contains is left out.
func fromChunks(c *lifecycle.Claim, shown []Candidate) {
	chunks := slices.Clone(shown)
	slices.SortStableFunc(chunks, func(a, b Candidate) int { return cmp.Compare(a.ChunkIndex, b.ChunkIndex) })
	chunks = chunks[:min(len(chunks), lifecycle.MaxChunks)]
	texts := make([]string, len(chunks))
	for i, chunk := range chunks {
		texts[i] = strings.ToValidUTF8(chunk.Text, "\uFFFD")
		c.Chunks = append(c.Chunks, storable(chunk.ID))
	}
	c.Text, c.Origin = strings.Join(uncontained(texts), "\n\n"), lifecycle.FromChunks
}

// uncontained returns the texts that are part of no other one, each once.
func uncontained(texts []string) (out []string) {
	for i, text := range texts {
		contained := text == ""
		for j, other := range texts {
			contained = contained || j != i && strings.Contains(other, text) && (other != text || j < i)
		}
		if !contained {
			out = append(out, text)
		}
	}
	return out
}

// digested begins the names that stand for others.
const digested = "digest:"

// storable is a name as a claim keeps it: a long one, or one that is no text, by its
// digest.
func storable(name string) string {
	if len(name) <= lifecycle.MaxName && utf8.ValidString(name) && !strings.HasPrefix(name, digested) {
		return name
	}
	return digested + digest("name", name).String()
}

// vectorOf places a text among the vectors of its source: the mean of the chunks
// shown, else what the source's embedder makes of its beginning. A library text
// without a vector is matched by its words.
func vectorOf(ctx context.Context, src Source, text string, shown []Candidate) (vector []float32, model string) {
	if isNil(src) || text == "" {
		return nil, ""
	}
	model = storable(src.Info().Model)
	if vector = meanVector(shown); vector == nil {
		embedder, ok := src.(Embedder)
		if !ok {
			return nil, ""
		}
		var err error
		if vector, err = embedder.Embed(ctx, cutBytes(text, maxEmbedded)); err != nil {
			return nil, ""
		}
	}
	if vector = usableVector(vector); vector == nil {
		return nil, ""
	}
	return vector, model
}

// usableVector returns a vector that a claim can keep, else nil.
func usableVector(v []float32) []float32 {
	if len(v) == 0 || len(v) > lifecycle.MaxVector || checkVector(v) != nil {
		return nil
	}
	return v
}

// meanVector is the sum of the chunks' vectors, which has the direction of their
// mean; nil if they have none, or not of one length.
func meanVector(chunks []Candidate) []float32 {
	var sum []float32
	for _, c := range chunks {
		switch {
		case len(c.Vector) == 0, checkVector(c.Vector) != nil:
			return nil
		case sum == nil:
			sum = make([]float32, len(c.Vector))
		case len(sum) != len(c.Vector):
			return nil
		}
		for i, x := range c.Vector {
			sum[i] += x
		}
	}
	return sum
}

// cutBytes cuts a text to at most n bytes, at a rune border.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
