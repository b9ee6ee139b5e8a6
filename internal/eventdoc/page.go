package main

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// A page is the document as it is written.
type page struct {
	strings.Builder
	source   *source
	examples map[string]string

	queue []*decl // types that the text names, each once
	err   error
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(&p.Builder, format, args...) }

// kinds describes the outcomes, or the other events.
func (p *page) kinds(title, intro string, outcomes bool) {
	p.printf("\n## %s\n\n%s\n", title, intro)
	for _, k := range p.source.kinds {
		if k.outcome != outcomes {
			continue
		}
		p.printf("\n### `%s`\n\n%s\n", k.name, markdown(k.body.doc))
		p.fields(k.body)
		var pieces []string
		for _, f := range p.fieldsOf(k.body) {
			if p.holdsPiece(f, nil) {
				pieces = append(pieces, "`"+f.name+"`")
			}
		}
		if pieces != nil {
			p.printf("\nPieces in: %s.\n", strings.Join(pieces, ", "))
		}
		if line := p.examples[k.name]; line != "" {
			p.printf("\n```json\n%s\n```\n", shortDigests(line))
		}
	}
}

// types describes what the kinds are made of, in the order in which the text
// named them. A type can bring in others.
func (p *page) types() {
	p.printf("\n## Types\n")
	for i := 0; i < len(p.queue); i++ {
		d := p.queue[i]
		p.printf("\n### %s\n", p.title(d))
		if d.doc != "" {
			p.printf("\n%s\n", markdown(d.doc))
		}
		switch {
		case d.values != nil:
			p.printf("\n| word | |\n|---|---|\n")
			for _, v := range d.values {
				p.printf("| `%s` | %s |\n", v.text, cell(v.doc))
			}
		case isObject(d):
			p.fields(d)
		case d.words != "":
			p.printf("\n%s\n", markdown(d.words))
		}
	}
}

func (p *page) fields(d *decl) {
	list := p.fieldsOf(d)
	if len(list) == 0 {
		return
	}
	p.printf("\n| field | type | |\n|---|---|---|\n")
	for _, f := range list {
		doc := cell(f.doc)
		if f.optional {
			doc = strings.TrimSuffix("*optional*; "+doc, "; ")
		}
		p.printf("| `%s` | %s | %s |\n", f.name, p.typeName(f.pkg, f.typ), doc)
	}
}

func (p *page) fieldsOf(d *decl) []field {
	list, err := p.source.fields(d)
	if err != nil && p.err == nil {
		p.err = err
	}
	return list
}

// typeName is a type as JSON has it.
func (p *page) typeName(pkg string, e ast.Expr) string {
	if list, ok := e.(*ast.ArrayType); ok {
		return "list of " + p.typeName(pkg, list.Elt)
	}
	if d := p.source.named(pkg, e); d != nil && d.expr != nil {
		switch {
		case isDigest(d):
			return "digest"
		case d.values != nil, d.marshals, isObject(d):
			if !slices.Contains(p.queue, d) {
				p.queue = append(p.queue, d)
			}
			return fmt.Sprintf("[%s](#%s)", p.title(d), strings.ToLower(strings.ReplaceAll(p.title(d), ".", "")))
		}
		return p.typeName(d.pkg, d.expr)
	}
	switch e := e.(type) {
	case *ast.Ident:
		switch e.Name {
		case "int", "int64":
			return "integer"
		case "float64":
			return "number"
		case "bool":
			return "boolean"
		case "string":
			return "string"
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && x.Name == "time" && e.Sel.Name == "Duration" {
			return "integer"
		}
	case *ast.StarExpr:
		return p.typeName(pkg, e.X)
	}
	if p.err == nil {
		p.err = fmt.Errorf("a field of package %s has a type that eventdoc cannot describe: %T", pkg, e)
	}
	return ""
}

// title is the name of a type, with its package where two have the name.
func (p *page) title(d *decl) string {
	same := 0
	for _, o := range p.source.types {
		if o.name == d.name && o.expr != nil && ast.IsExported(o.name) {
			same++
		}
	}
	if same == 1 || d.pkg == "event" {
		return d.name
	}
	return d.pkg + "." + d.name
}

// holdsPiece reports whether a field names content, or something in it does.
func (p *page) holdsPiece(f field, seen []*decl) bool {
	d := p.source.named(f.pkg, f.typ)
	switch {
	case d == nil || d.expr == nil || slices.Contains(seen, d):
		return false
	case isDigest(d):
		return true
	case d.marshals:
		return false
	}
	return slices.ContainsFunc(p.fieldsOf(d), func(f field) bool { return p.holdsPiece(f, append(seen, d)) })
}

func isObject(d *decl) bool {
	_, ok := d.expr.(*ast.StructType)
	return ok
}

func isDigest(d *decl) bool { return d.pkg == "model" && d.name == "Digest" }

var docLink = regexp.MustCompile(`\[([A-Z]\w*(\.\w+)?)\]`)

// markdown makes a doc comment Markdown: its links become names, and what is
// indented stays code.
func markdown(doc string) string {
	return strings.ReplaceAll(docLink.ReplaceAllString(doc, "$1"), "\n\t", "\n    ")
}

// cell makes a comment fit into a cell of a table.
func cell(doc string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(docLink.ReplaceAllString(doc, "$1")), " "), "|", `\|`)
}

var digest = regexp.MustCompile(`"([0-9a-f]{8})[0-9a-f]{56}"`)

func shortDigests(line string) string { return digest.ReplaceAllString(line, `"$1…"`) }
