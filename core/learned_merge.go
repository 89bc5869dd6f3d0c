package core

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// Every engine leaves blobs of statistics behind. Where there are too many, the
// oldest are merged into one, which names those it stands for: from the moment it is
// written they count no more, whether or not they could be deleted. Engines that
// merge at the same time take the same blobs, since nobody writes to one that old,
// and write the same.
const (
	// maxStatistics is the number of statistics blobs of a namespace beyond which
	// mergedAtOnce of those that nobody wrote for retiredAfter are merged into one.
	maxStatistics = 16
	mergedAtOnce  = 8
	retiredAfter  = 10 * time.Minute
)

// errMerged says that a blob of merged statistics cannot be read.
var errMerged = errors.New("core: merged statistics of another version or damaged")

// statisticsBlob is a stored blob of statistics.
type statisticsBlob struct {
	name     string
	updated  int64
	stats    reputation.Statistics
	replaces []string // names of the blobs that it stands for
}

// mergedBlob is the encoding of statistics that stand for those of other blobs. An
// engine that does not know it passes it over: no version of the statistics' own
// encoding begins with a brace.
type mergedBlob struct {
	Version    int      `json:"version"`
	Replaces   []string `json:"replaces"`
	Statistics []byte   `json:"statistics"`
}

const mergedVersion = 1

func (s *statisticsBlob) encode() ([]byte, error) {
	data, err := s.stats.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(mergedBlob{mergedVersion, s.replaces, data})
}

// decodeStatistics reads an engine's blob, or one of merged statistics.
func decodeStatistics(b store.Blob) (*statisticsBlob, error) {
	s := &statisticsBlob{name: b.Name, updated: b.Updated}
	if !bytes.HasPrefix(b.Data, []byte("{")) {
		return s, s.stats.UnmarshalBinary(b.Data)
	}
	var m mergedBlob
	if err := json.Unmarshal(b.Data, &m); err != nil {
		return s, fmt.Errorf("%w: %w", errMerged, err)
	}
	if m.Version != mergedVersion {
		return s, fmt.Errorf("%w: version %d", errMerged, m.Version)
	}
	for _, name := range m.Replaces {
		if strings.HasPrefix(name, statisticsBlobs) && name != b.Name {
			s.replaces = append(s.replaces, name)
		}
	}
	return s, s.stats.UnmarshalBinary(m.Statistics)
}

// otherStatistics returns the statistics of the other engines, and whether those of
// the given blob are no longer stored under its name.
func (e *Engine) otherStatistics(ctx context.Context, own string) (others []*reputation.Statistics, gone bool, err error) {
	blobs, left, err := e.statisticsBlobs(ctx)
	if err != nil {
		return nil, false, err
	}
	if blobs, err = e.mergeStatistics(ctx, blobs, left); err != nil {
		e.opts.Logger.Warn("old statistics not merged", "error", err)
	}
	gone = true
	for _, b := range blobs {
		if b.name == own {
			gone = false
			continue
		}
		others = append(others, &b.stats)
	}
	return others, gone, nil
}

// statisticsBlobs reads the blobs that count, the oldest first, and the names of those
// that count no more.
func (e *Engine) statisticsBlobs(ctx context.Context) (blobs []*statisticsBlob, left []string, err error) {
	for page := (store.Page{}); ; {
		rows, err := e.store.Blobs(ctx, e.opts.Namespace, statisticsBlobs, page)
		if err != nil {
			return nil, nil, err
		}
		for _, row := range rows {
			page.After = row.Name
			b, err := decodeStatistics(row)
			if err != nil {
				e.opts.Logger.Warn("statistics of another engine passed over", "blob", row.Name, "error", err)
				continue
			}
			blobs = append(blobs, b)
		}
		if len(rows) < page.Rows() {
			break
		}
	}
	replaced := make(map[string]bool)
	for _, b := range blobs {
		for _, name := range b.replaces {
			replaced[name] = true
		}
	}
	blobs = slices.DeleteFunc(blobs, func(b *statisticsBlob) bool {
		if replaced[b.name] {
			left = append(left, b.name)
		}
		return replaced[b.name]
	})
	slices.SortFunc(blobs, func(a, b *statisticsBlob) int {
		return cmp.Or(cmp.Compare(a.updated, b.updated), strings.Compare(a.name, b.name))
	})
	return blobs, left, nil
}

// mergeStatistics deletes what is left of blobs that were merged, merges more where
// there are too many, and returns those that then count.
func (e *Engine) mergeStatistics(ctx context.Context, blobs []*statisticsBlob, left []string) ([]*statisticsBlob, error) {
	for len(blobs) > maxStatistics && e.now()-blobs[mergedAtOnce-1].updated >= int64(retiredAfter) {
		old := blobs[:mergedAtOnce]
		merged := replacement(old, left, e.now())
		data, err := merged.encode()
		if err == nil {
			err = e.store.PutBlob(ctx, e.opts.Namespace, store.Blob{Name: merged.name, Data: data, Updated: merged.updated})
		}
		if err != nil {
			return blobs, err
		}
		for _, b := range old {
			left = append(left, b.name)
		}
		blobs = append(blobs[mergedAtOnce:len(blobs):len(blobs)], merged)
	}
	var failed error
	for _, name := range left {
		failed = errors.Join(failed, e.store.DeleteBlob(ctx, e.opts.Namespace, name))
	}
	return blobs, failed
}

// replacement is what stands for several blobs. Its name is that of no engine and
// follows from what is replaced. Names that a replaced blob stood for are carried on
// while something is left under them.
func replacement(old []*statisticsBlob, left []string, now int64) *statisticsBlob {
	m := &statisticsBlob{updated: now}
	names := sha256.New()
	var stats []*reputation.Statistics
	for _, b := range old {
		_, _ = io.WriteString(names, b.name+"\n")
		m.replaces = append(m.replaces, b.name)
		stats = append(stats, &b.stats)
		for _, name := range b.replaces {
			if slices.Contains(left, name) {
				m.replaces = append(m.replaces, name)
			}
		}
	}
	m.name = statisticsBlobs + hex.EncodeToString(names.Sum(nil)[:16])
	m.stats = reputation.MergeStatistics(stats...)
	return m
}
