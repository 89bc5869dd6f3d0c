package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"google.golang.org/genai"
)

// grade is the model's answer. support has an entry for every document the model was shown, by its place from 0.
type grade struct {
	score       float64
	sufficiency float64
	support     map[int]float64
	reason      string
}

const longestReason = 300 // code points of the model's reason that are kept

// schema is the shape the answer must have.
func schema(documents int) *genai.Schema {
	share := func() *genai.Schema {
		return &genai.Schema{Type: genai.TypeNumber, Minimum: new(0.0), Maximum: new(1.0)}
	}
	entry := &genai.Schema{
		Type: genai.TypeObject,
		Properties: map[string]*genai.Schema{
			"document": {Type: genai.TypeInteger, Minimum: new(1.0), Maximum: new(float64(max(documents, 1)))},
			"share":    share(),
		},
		Required:         []string{"document", "share"},
		PropertyOrdering: []string{"document", "share"},
	}
	order := []string{"reason", "support", "sufficiency", "score"}
	return &genai.Schema{
		Type: genai.TypeObject,
		Properties: map[string]*genai.Schema{
			"reason":      {Type: genai.TypeString},
			"support":     {Type: genai.TypeArray, Items: entry},
			"sufficiency": share(),
			"score":       share(),
		},
		Required:         order,
		PropertyOrdering: order,
	}
}

// parseGrade reads the model's answer about this many documents: one JSON object, alone, in a fence or in a sentence. Every
// grade must be there once and in [0,1]; nothing is guessed.
func parseGrade(text string, documents int) (grade, error) {
	fields, err := object(json.RawMessage(isolate(text)))
	if err != nil {
		return grade{}, err
	}
	var g grade
	if g.score, err = share(fields, "score"); err != nil {
		return grade{}, err
	}
	if g.sufficiency, err = share(fields, "sufficiency"); err != nil {
		return grade{}, err
	}
	if g.support, err = parseSupport(fields["support"], documents); err != nil {
		return grade{}, err
	}
	var reason string
	if json.Unmarshal(fields["reason"], &reason) == nil { // no reason is no fault
		g.reason = clean(reason, longestReason)
	}
	return g, nil
}

// isolate returns a text from its first { to its last }, so that a fence or a sentence around one object does no harm. Two
// objects give no valid JSON.
func isolate(text string) string {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return text
	}
	return text[from : to+1]
}

// object reads a JSON object whose names are all different.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if !json.Valid(raw) {
		return nil, errors.New("not one JSON object")
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	fields := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		key, _ := name.(string)
		if _, dup := fields[key]; dup {
			return nil, fmt.Errorf("%q twice", key)
		}
		fields[key] = value
	}
	return fields, nil
}

func parseSupport(raw json.RawMessage, documents int) (map[int]float64, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, errors.New(`"support" is missing or not a list`)
	}
	support := make(map[int]float64, documents)
	for _, e := range entries {
		fields, err := object(e)
		if err != nil {
			return nil, fmt.Errorf("support: %w", err)
		}
		n, err := number(fields, "document")
		if err != nil {
			return nil, fmt.Errorf("support: %w", err)
		}
		x, err := share(fields, "share")
		if err != nil {
			return nil, fmt.Errorf("support: %w", err)
		}
		place := int(n) - 1
		if n != math.Trunc(n) || n < 1 || n > float64(documents) {
			return nil, fmt.Errorf("support: there is no document %v", n)
		}
		if _, dup := support[place]; dup {
			return nil, fmt.Errorf("support: document %v twice", n)
		}
		support[place] = x
	}
	if len(support) != documents {
		return nil, fmt.Errorf("support: %d of %d documents", len(support), documents)
	}
	return support, nil
}

// share reads a number in [0,1].
func share(fields map[string]json.RawMessage, name string) (float64, error) {
	x, err := number(fields, name)
	if err != nil {
		return 0, err
	}
	if !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%q is %v, not in [0,1]", name, x)
	}
	return x, nil
}

// number reads a JSON number, also one in quotes.
func number(fields map[string]json.RawMessage, name string) (float64, error) {
	raw, ok := fields[name]
	if !ok {
		return 0, fmt.Errorf("%q is missing", name)
	}
	var quoted string
	if json.Unmarshal(raw, &quoted) == nil && string(raw) != "null" {
		raw = json.RawMessage(quoted)
	}
	var x *float64
	if err := json.Unmarshal(raw, &x); err != nil || x == nil {
		return 0, fmt.Errorf("%q is not a number", name)
	}
	return *x, nil
}
