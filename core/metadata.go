package core

import (
	"reflect"
	"slices"
)

// maxNesting is how deep metadata is copied: deeper than anybody nests, and an end
// for a map that holds itself.
const maxNesting = 16

// CloneMetadata copies metadata with the maps and slices in it, so that a change
// of the copy is none of the original. What lies behind pointers, in structs or
// more than 16 levels deep stays shared. nil stays nil.
func CloneMetadata(m map[string]any) map[string]any { return cloneMap(m, maxNesting) }

func cloneMap(m map[string]any, levels int) map[string]any {
	if m == nil {
		return nil
	}
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = cloneValue(v, levels)
	}
	return out
}

func cloneValue(v any, levels int) any {
	if levels == 0 {
		return v
	}
	switch x := v.(type) {
	case nil, string, bool, int, int64, float64, float32:
		return v
	case map[string]any:
		return cloneMap(x, levels-1)
	case []string:
		return slices.Clone(x)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Map, reflect.Slice:
		return cloneNested(r, levels).Interface()
	}
	return v
}

// cloneNested copies a value of any type; what is no map or slice is itself.
func cloneNested(r reflect.Value, levels int) reflect.Value {
	if levels == 0 {
		return r
	}
	switch r.Kind() {
	case reflect.Interface:
		if r.IsNil() {
			return r
		}
		return reflect.ValueOf(cloneValue(r.Interface(), levels))
	case reflect.Map:
		if r.IsNil() {
			return r
		}
		out := reflect.MakeMapWithSize(r.Type(), r.Len())
		for it := r.MapRange(); it.Next(); {
			out.SetMapIndex(it.Key(), cloneNested(it.Value(), levels-1))
		}
		return out
	case reflect.Slice:
		if r.IsNil() {
			return r
		}
		out := reflect.MakeSlice(r.Type(), r.Len(), r.Len())
		reflect.Copy(out, r)
		for i := range r.Len() {
			if k := r.Type().Elem().Kind(); k != reflect.Interface && k != reflect.Map && k != reflect.Slice {
				break
			}
			out.Index(i).Set(cloneNested(r.Index(i), levels-1))
		}
		return out
	}
	return r
}
