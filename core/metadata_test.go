package core_test

import (
	"reflect"
	"testing"

	"github.com/repute-go/repute/core"
)

func nested() map[string]any {
	return map[string]any{
		"name": "x", "none": nil, "tags": []string{"a"}, "empty": []any(nil),
		"_additional": map[string]any{"id": "x", "vector": []float32{1}},
		"list":        []any{map[string]any{"k": 1}, []int{1, 2}, nil},
		"plain":       map[string]string{"k": "v"},
		"rows":        []map[string]any{{"k": []any{1.5}}, nil},
		"by number":   map[int][]string{1: {"one"}},
	}
}

func TestMetadataIsCopiedToTheGround(t *testing.T) {
	source := nested()
	src := fixed(core.Candidate{ID: "a", Text: "t", Score: .5, Metadata: source})
	for _, mode := range []core.Mode{core.On, core.Off} {
		m := retrieve(t, newEngine(t, core.Options{}), src, core.Query{Text: "q", Mode: mode}).Items[0].Metadata
		if !reflect.DeepEqual(m, nested()) {
			t.Fatalf("the copy is another: %#v", m)
		}
		m["name"] = 1
		m["tags"].([]string)[0] = "changed"
		m["_additional"].(map[string]any)["id"] = "changed"
		m["_additional"].(map[string]any)["vector"].([]float32)[0] = 9
		m["list"].([]any)[0].(map[string]any)["k"] = 9
		m["list"].([]any)[1].([]int)[0] = 9
		m["plain"].(map[string]string)["k"] = "changed"
		m["rows"].([]map[string]any)[0]["k"].([]any)[0] = 9
		m["by number"].(map[int][]string)[1][0] = "changed"
		if !reflect.DeepEqual(source, nested()) {
			t.Fatalf("mode %v: shared with the source: %#v", mode, source)
		}
	}
}

func TestMetadataThatHoldsItself(t *testing.T) {
	m := map[string]any{}
	m["self"], m["list"] = m, []any{m}
	if c := core.CloneMetadata(m); c["self"] == nil {
		t.Error("lost")
	}
	if core.CloneMetadata(nil) != nil {
		t.Error("nil is no longer nil")
	}
}
