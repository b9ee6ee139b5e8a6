// Command checkdoc writes docs/check, a page for each code that spoor check
// reports and a list of all of them, from the rules of package check.
//
//	go run ./internal/checkdoc docs/check
//
// The problems on a page are what its example really yields. What it writes
// depends on the rules alone, so that a second run changes nothing.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/check"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/score"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "checkdoc: name the folder to write")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "checkdoc:", err)
		os.Exit(1)
	}
}

// write writes the pages into a folder, and removes those of codes that there
// are not any more.
func write(dir string) error {
	pages, err := pages(check.Rules())
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if pages[filepath.Base(name)] == "" {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(pages[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const generated = "<!-- Written by internal/checkdoc from package check. Do not edit; run: go generate ./check -->\n\n"

const header = `# What a check-up reports

Each code has a page: what it proves, what it cannot see, what to do, and a map that it reports. The codes are stable, and
the same wherever a map is refused or checked. What no code speaks of is not proved right.
`

var levels = []struct{ name, title, doc string }{
	{check.Error, "Errors", "A map with an error is refused."},
	{check.Warning, "Warnings", "It will most likely hurt. With --strict, a check-up with a warning fails."},
	{check.Advice, "Advice", "It may be meant so. Advice never fails a check-up."},
}

// pages are the texts of all pages, by the names of their files.
func pages(rules []check.Rule) (map[string]string, error) {
	all := map[string]string{}
	for _, r := range rules {
		text, err := page(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Code, err)
		}
		all[r.Code+".md"] = text
	}
	var b strings.Builder
	b.WriteString(generated + header)
	for _, level := range levels {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| code | |\n|---|---|\n", level.title, level.doc)
		for _, r := range rules {
			if r.Level == level.name {
				fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", r.Code, r.Code, strings.ReplaceAll(first(r.Doc), "|", `\|`))
			}
		}
	}
	all["README.md"] = b.String()
	return all, nil
}

// first is the first sentence of a text.
func first(doc string) string {
	doc, _, _ = strings.Cut(strings.TrimSpace(doc), "\n\n")
	doc = strings.Join(strings.Fields(doc), " ")
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i+1]
	}
	return doc
}

func page(r check.Rule) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s# %s\n\n*%s*\n\n%s\n", generated, r.Code, r.Level, strings.TrimSpace(r.Doc))
	if r.Example == "" {
		return b.String(), nil
	}
	example := strings.TrimPrefix(r.Example, "\n")
	faults, err := report(r.Code, example)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(faults, func(f mapfile.Fault) bool { return f.Code == r.Code }) {
		return "", errors.New("the example does not yield it")
	}
	fmt.Fprintf(&b, "\n## Example\n\n```yaml\n%s```\n\n```text\n%s\n```\n", example, faults)
	return b.String(), nil
}

// report is what is wrong with a map file.
func report(code, text string) (mapfile.Faults, error) {
	f, err := mapfile.Read(fstest.MapFS{"map.yaml": {Data: []byte(text)}}, "map.yaml")
	var faults mapfile.Faults
	if err != nil {
		if !errors.As(err, &faults) {
			return nil, err
		}
		return faults, nil
	}
	var problems spoor.Problems
	g, err := spoor.Compile(f.Map, cond.CEL)
	switch {
	case errors.As(err, &problems):
	case err != nil:
		return nil, err
	case code == "overlapping-intents":
		r, err := check.Intents(context.Background(), g, cmp.Or(f.Map.Start.Classify, "none"), score.Keyword)
		if err != nil {
			return nil, err
		}
		problems = r.Problems
	default:
		problems = check.Run(g).Problems
	}
	return f.Locate(problems), nil
}
