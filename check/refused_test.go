package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model/script"
	"github.com/spoorhq/spoor/tool/fixed"
)

// TestEveryCodeIsListed looks for codes in the source of all that refuses a
// map: what a function called problem, fault or add is given, and what is
// assigned to a Code.
func TestEveryCodeIsListed(t *testing.T) {
	var listed []string
	for _, r := range Rules() {
		listed = append(listed, r.Code)
	}
	isCode := regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
	seen := 0
	for _, dir := range []string{"..", "../mapfile", "../agent", "../cmd/spoor"} {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			look := func(e ast.Expr) {
				lit, ok := e.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return
				}
				if code, _ := strconv.Unquote(lit.Value); isCode.MatchString(code) {
					if seen++; !slices.Contains(listed, code) {
						t.Errorf("%s: the code %s has no page; describe it in refused.go", files.Position(lit.Pos()), code)
					}
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					called := ""
					switch fun := n.Fun.(type) {
					case *ast.Ident:
						called = fun.Name
					case *ast.SelectorExpr:
						called = fun.Sel.Name
					}
					if called == "problem" || called == "fault" || called == "add" {
						for _, arg := range n.Args[:min(2, len(n.Args))] {
							look(arg)
						}
					}
				case *ast.KeyValueExpr:
					if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
						look(n.Value)
					}
				}
				return true
			})
		}
	}
	if seen < 50 {
		t.Errorf("only %d codes were found; the test looks in the wrong places", seen)
	}
}

// snippet is the part of a Doc that is set off.
func snippet(t *testing.T, code string) string {
	t.Helper()
	for _, r := range Rules() {
		if r.Code == code {
			var b strings.Builder
			for line := range strings.Lines(r.Doc) {
				if text, ok := strings.CutPrefix(line, "    "); ok {
					b.WriteString(text)
				}
			}
			return b.String()
		}
	}
	t.Fatalf("there is no code %s", code)
	return ""
}

// TestSnippets reads what the pages of codes without an Example show.
func TestSnippets(t *testing.T) {
	read := func(text string, more ...string) *mapfile.File {
		t.Helper()
		files := fstest.MapFS{"map.yaml": {Data: []byte(text)}}
		if more != nil {
			files[more[0]] = &fstest.MapFile{Data: []byte(more[1])}
		}
		f, err := mapfile.Read(files, "map.yaml")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	read("skills: [{dir: skills/billing}]", "skills/billing/SKILL.md", snippet(t, "bad-skill"))
	if f := read("skills: []\n" + snippet(t, "bad-case")); len(f.Cases) != 2 {
		t.Errorf("bad-case: %+v", f.Cases)
	}

	f := read("skills: []\n" + snippet(t, "bad-tool"))
	declared := fixed.Tool{Name: f.Tools[0].Name}
	for _, r := range f.Tools[0].Results {
		declared.Results = append(declared.Results, fixed.Case(r))
	}
	if _, faults := fixed.New(declared); len(faults) != 1 || !strings.Contains(faults[0].Message, "never given") {
		t.Errorf("bad-tool: %v", faults)
	}

	if _, err := script.Parse("script.yaml", []byte(snippet(t, "bad-script"))); err != nil {
		t.Error(err)
	}
}
