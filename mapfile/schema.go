package mapfile

import (
	"bytes"
	_ "embed"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of a map file, for editors:
// every key with a sentence about it. #/$defs/cases in it is that of a file of
// cases.
//
// It accepts every map that Read, [spoor.Compile] and [spoor.Graph.Inject]
// accept, but for a key that is empty where it does not belong, as a start of {}
// beside a tree. What only they can tell it lets pass: names that stand twice or
// that nothing has, conditions and expressions that cannot be read, files that
// are not there, times that are too short or too long.
func Schema() []byte { return bytes.Clone(schema) }
