// Package layers holds the import ladder of the module as a test.
package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/spoorhq/spoor"

// ladder says what each package imports, tests apart: own packages by their
// folder (. is the root), others by their path. Of the standard library only
// what reaches the world is told, by std:NAME, in the pure packages; there
// everything else of it is free. A new arrow, or a new dependency, needs a page
// in docs/decisions.
const ladder = `
internal/nearest      :
internal/phrase       :
guard                 : internal/nearest
internal/regex        :
internal/value        :
match                 : internal/regex
score                 :
.                     : guard internal/nearest internal/phrase match score

internal/expr         : cel.dev/cel-go internal/regex
cond                  : . internal/expr

internal/yaml         : go.yaml.in/yaml/v3
mapfile               : . guard internal/nearest internal/yaml match score

model                 :
model/script          : internal/expr internal/nearest internal/yaml model
internal/secret       :
internal/wire         : internal/secret model
model/openai          : internal/wire model
model/anthropic       : internal/wire model

event                 : . github.com/go-json-experiment/json guard model score
walk                  : . event internal/nearest model score
recording             : . event github.com/go-json-experiment/json model
explain               : . cond event guard internal/nearest internal/value model recording score
replay                : . cond event explain model recording score walk
draw                  : . match

tool                  : . github.com/google/jsonschema-go internal/nearest model
tool/fixed            : . internal/expr tool
tool/mcp              : . github.com/modelcontextprotocol/go-sdk internal/secret model tool

agent                 : . check event internal/nearest model recording score tool walk

examples/refund-desk  : github.com/google/jsonschema-go github.com/modelcontextprotocol/go-sdk modernc.org/sqlite tool
cmd/spoor             : . agent check cond draw event examples/refund-desk explain github.com/spf13/cobra github.com/spf13/pflag internal/nearest mapfile match model model/anthropic model/openai model/script recording replay score tool tool/fixed tool/mcp
internal/eventdoc     :

check                 : . guard internal/nearest internal/phrase match score
internal/wiretest     : . agent event github.com/google/go-cmp guard internal/wire match model recording tool walk
internal/checkdoc     : . check cond mapfile score
`

// pure are the packages that must not reach the world: no network, no files,
// no processes, no environment, no clock of their own.
var pure = []string{".", "guard", "match", "score", "internal/nearest", "internal/regex", "internal/value", "walk", "event", "model", "explain", "replay", "cond", "draw", "check"}

var worldly = []string{"net", "net/http", "os", "os/exec", "io/ioutil", "syscall", "plugin", "database/sql"}

func TestLadder(t *testing.T) {
	want := map[string][]string{}
	for line := range strings.Lines(ladder) {
		if name, imports, ok := strings.Cut(line, ":"); ok {
			want[strings.TrimSpace(name)] = strings.Fields(imports)
		}
	}
	got := imports(t)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		allowed, known := want[name]
		if !known {
			t.Errorf("package %s is not on the ladder", name)
			continue
		}
		for _, i := range got[name] {
			if !slices.Contains(allowed, i) {
				t.Errorf("package %s imports %s, which the ladder does not allow", name, i)
			}
		}
		for _, i := range allowed {
			if !slices.Contains(got[name], i) {
				t.Errorf("package %s does not import %s any more: take it off the ladder", name, i)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, exists := got[name]; !exists {
			t.Errorf("there is no package %s: take it off the ladder", name)
		}
	}
}

// TestExplainLinksNoModel holds that a program which only explains recordings
// links no model and no agent.
func TestExplainLinksNoModel(t *testing.T) {
	got := imports(t)
	seen := map[string]bool{}
	var visit func(string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, i := range got[name] {
			visit(i)
		}
	}
	visit("explain")
	for name := range seen {
		if strings.HasPrefix(name, "model/") || name == "agent" || name == "walk" || strings.HasPrefix(name, "tool") {
			t.Errorf("explain links %s", name)
		}
	}
}

// imports lists what each package of the module imports besides the standard
// library, and what a pure one should not of that.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	all := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." && d.Name() != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		name := filepath.ToSlash(folder)
		if _, seen := all[name]; !seen {
			all[name] = nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			i, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if i = short(i, slices.Contains(pure, name)); i != "" && !slices.Contains(all[name], i) {
				all[name] = append(all[name], i)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// short is an import as the ladder has it; empty if the ladder does not tell it.
func short(i string, pure bool) string {
	switch {
	case i == module:
		return "."
	case strings.HasPrefix(i, module+"/"):
		return strings.TrimPrefix(i, module+"/")
	case !strings.Contains(strings.Split(i, "/")[0], "."):
		if pure && slices.Contains(worldly, i) {
			return "std:" + i
		}
		return ""
	}
	// A dependency is told by its module, whose path has no more than three
	// elements and a version.
	parts := strings.Split(i, "/")
	n := 3
	if parts[0] == "cel.dev" {
		n = 2
	}
	if parts[0] == "go.yaml.in" {
		n = 3
	}
	return path.Join(parts[:min(n, len(parts))]...)
}
