package core

import (
	"bufio"
	"context"
	"encoding/json"
	"io"

	"github.com/repute-go/repute/core/store"
)

// exportBatch is the number of rows whose texts Export reads at a time.
const exportBatch = 32

// Export writes the library as one JSON object, {"user": ..., "documents": [...]},
// every document with its saved text and everything that is known of it (Entry).
// It streams: at most a few texts are in memory.
func (l *Library) Export(ctx context.Context, w io.Writer) error {
	if err := l.ready(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	user, err := json.Marshal(l.user)
	if err != nil {
		return err
	}
	_, _ = out.WriteString(`{"user":` + string(user) + `,"documents":[`) // Flush reports errors
	n := 0
	err = l.batches(ctx, func(entries []Entry) error {
		for _, e := range entries {
			line, err := json.Marshal(e)
			if err != nil {
				return err
			}
			if n > 0 {
				_ = out.WriteByte(',')
			}
			n++
			_ = out.WriteByte('\n')
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, _ = out.WriteString("\n]}\n")
	return out.Flush()
}

// batches calls f for all rows with their texts.
func (l *Library) batches(ctx context.Context, f func([]Entry) error) error {
	for page := (LibraryPage{Limit: exportBatch}); ; {
		list, err := l.List(ctx, page)
		if err != nil {
			return err
		}
		if err := l.fill(ctx, list.Entries); err != nil {
			return err
		}
		if err := f(list.Entries); err != nil {
			return err
		}
		if page.After = list.Next; page.After == "" {
			return nil
		}
	}
}

// fill reads the texts of entries.
func (l *Library) fill(ctx context.Context, entries []Entry) error {
	var keys []string
	for i := range entries {
		if entries[i].Size > 0 {
			keys = append(keys, store.PersonalKey(entries[i].Source, entries[i].DocID))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	texts, err := l.engine.store.Texts(ctx, l.engine.opts.Namespace, l.user, keys)
	if err != nil {
		return err
	}
	for i := range entries {
		entries[i].Text = texts[store.PersonalKey(entries[i].Source, entries[i].DocID)]
	}
	return nil
}
