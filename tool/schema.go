package tool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/spoorhq/spoor/internal/nearest"
)

// Validator is a function that compares a JSON text with a JSON Schema. The
// error says why the schema cannot be used; one that would keep the function
// busy for ever is refused.
func Validator(schema string) (func(text string) error, error) {
	if !json.Valid([]byte(schema)) || !strings.HasPrefix(strings.TrimSpace(schema), "{") {
		return nil, errors.New("the schema is not one JSON object")
	}
	if !finite(schema) {
		return nil, errors.New("the schema refers to itself, or to what is not in it, or is too large")
	}
	var s jsonschema.Schema
	if json.Unmarshal([]byte(schema), &s) != nil { // the error speaks of Go types
		return nil, errors.New("the schema has a keyword with a value of the wrong type")
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	if err := checkTypes(reflect.ValueOf(&s)); err != nil {
		return nil, err
	}
	return func(text string) error {
		var loose any // digits are lost here, and only here
		err := json.Unmarshal([]byte(text), &loose)
		if large, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("the %.40s is out of all bounds", large.Value)
		}
		if err != nil {
			return err
		}
		return resolved.Validate(loose)
	}, nil
}

var types = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

// checkTypes refuses a type that JSON Schema does not have, which no value would
// ever be, in a schema and in all below it.
func checkTypes(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		s, ok := v.Interface().(*jsonschema.Schema)
		if !ok || s == nil {
			return nil
		}
		for _, name := range append(s.Types, s.Type) {
			if name != "" && !slices.Contains(types, name) {
				hint := nearest.Hint(name, slices.Values(types))
				return fmt.Errorf("the schema has the type %q, which there is not; %s", name, cmp.Or(hint, "write one of "+strings.Join(types, ", ")))
			}
		}
		for i := range v.Elem().NumField() {
			if v.Elem().Type().Field(i).IsExported() {
				if err := checkTypes(v.Elem().Field(i)); err != nil {
					return err
				}
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := checkTypes(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			if err := checkTypes(v.MapIndex(key)); err != nil {
				return err
			}
		}
	}
	return nil
}

// finite reports whether a schema ends, if every reference in it is replaced by
// what it refers to. With one that does not, the validator would not come back,
// and take the program with it.
func finite(schema string) bool {
	var root any
	places := maxPlaces
	return json.Unmarshal([]byte(schema), &root) == nil && ends(root, root, nil, &places)
}

const maxPlaces = 100_000

// ends reports whether a part of a schema ends so, after so many places.
func ends(root, part any, from []string, places *int) bool {
	if *places--; *places < 0 {
		return false
	}
	switch part := part.(type) {
	case []any:
		for _, below := range part {
			if !ends(root, below, from, places) {
				return false
			}
		}
	case map[string]any:
		if _, named := part["$id"].(string); named && *places < maxPlaces-1 {
			return false // below it, references mean something else
		}
		for key, below := range part {
			ref, isText := below.(string)
			if !isText || key != "$ref" && key != "$dynamicRef" && key != "$recursiveRef" {
				if !ends(root, below, from, places) {
					return false
				}
				continue
			}
			to, found := find(root, ref)
			if !found || slices.Contains(from, ref) || !ends(root, to, append(from, ref), places) {
				return false
			}
		}
	}
	return true
}

// find follows a reference, a JSON Pointer, from the root of a schema.
func find(at any, ref string) (part any, found bool) {
	pointer, err := url.PathUnescape(ref)
	if err != nil || !strings.HasPrefix(pointer, "#") {
		return nil, false
	}
	for _, name := range strings.Split(pointer, "/")[1:] {
		switch in := at.(type) {
		case map[string]any:
			at, found = in[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		case []any:
			i, err := strconv.Atoi(name)
			if found = err == nil && i >= 0 && i < len(in); found {
				at = in[i]
			}
		default:
			found = false
		}
		if !found {
			return nil, false
		}
	}
	return at, pointer == "#" || found
}
