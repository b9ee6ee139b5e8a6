package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// A source is the declarations that events are made of.
type source struct {
	types map[string]*decl // by package and name: event.Started
	kinds []kind           // in declared order
}

// A decl is a type as it is declared.
type decl struct {
	pkg, name string
	doc       string
	expr      ast.Expr
	values    []value // of a set of words
	words     string  // what its String method says of itself
	marshals  bool    // has a JSON or text form of its own
}

// A value is one word of a set.
type value struct{ text, doc string }

// A kind is one kind of event.
type kind struct {
	name    string
	body    *decl
	outcome bool
}

// A field is one field of an object in JSON.
type field struct {
	name     string
	typ      ast.Expr
	pkg      string // where typ is written
	doc      string
	optional bool
}

// packages are those whose types events have, by the name that Go source
// gives them.
var packages = map[string]string{"spoor": ".", "event": "event", "model": "model", "guard": "guard", "match": "match", "score": "score"}

func load(root string) (*source, error) {
	s := &source{types: map[string]*decl{}}
	kinds, outcomes := map[string]string{}, map[string]bool{}
	var order []string
	for _, name := range []string{"guard", "match", "score", "spoor", "model", "event"} {
		dir := filepath.Join(root, packages[name])
		paths, err := filepath.Glob(filepath.Join(dir, "*.go")) // sorted
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.GenDecl:
					names := s.declare(name, d)
					if filepath.Base(path) == "event.go" {
						order = append(order, names...)
					}
				case *ast.FuncDecl:
					recv := receiver(d)
					switch {
					case recv == "":
					case d.Name.Name == "MarshalJSON" || d.Name.Name == "MarshalText":
						s.typ(name, recv).marshals = true
					case d.Name.Name == "String" && d.Doc != nil:
						s.typ(name, recv).words = text(d.Doc)
					case name == "event" && d.Name.Name == "outcome":
						outcomes[recv] = true
					case name == "event" && d.Name.Name == "Kind":
						kinds[recv] = returned(d)
					}
				}
			}
		}
	}
	for _, name := range order {
		if kinds[name] != "" {
			s.kinds = append(s.kinds, kind{kinds[name], s.typ("event", name), outcomes[name]})
		}
	}
	if len(s.kinds) == 0 {
		return nil, fmt.Errorf("event/event.go declares no kind of event")
	}
	return s, nil
}

// typ is the declaration of a type, which may come later.
func (s *source) typ(pkg, name string) *decl {
	key := pkg + "." + name
	if s.types[key] == nil {
		s.types[key] = &decl{pkg: pkg, name: name}
	}
	return s.types[key]
}

// declare takes in types and sets of words, and returns the names of types.
func (s *source) declare(pkg string, d *ast.GenDecl) (names []string) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			t := s.typ(pkg, spec.Name.Name)
			t.expr, t.doc = spec.Type, text(spec.Doc, d.Doc)
			names = append(names, spec.Name.Name)
		case *ast.ValueSpec:
			typ, ok := spec.Type.(*ast.Ident)
			if d.Tok != token.CONST || !ok || len(spec.Values) != 1 {
				continue
			}
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				word, _ := strconv.Unquote(lit.Value)
				t := s.typ(pkg, typ.Name)
				t.values = append(t.values, value{word, text(spec.Doc, spec.Comment)})
			}
		}
	}
	return names
}

// fields are those of an object in JSON; embedded ones count as its own.
func (s *source) fields(d *decl) ([]field, error) {
	st, ok := d.expr.(*ast.StructType)
	if !ok {
		return nil, nil
	}
	var list []field
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 {
			inner := s.named(d.pkg, f.Type)
			if inner == nil {
				return nil, fmt.Errorf("%s.%s embeds a type that is not described", d.pkg, d.name)
			}
			more, err := s.fields(inner)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
			continue
		}
		if !f.Names[0].IsExported() {
			continue
		}
		if f.Tag == nil {
			return nil, fmt.Errorf("%s.%s.%s has no json tag", d.pkg, d.name, f.Names[0].Name)
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return nil, err
		}
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name == "-" {
			continue
		}
		list = append(list, field{name, f.Type, d.pkg, text(f.Doc, f.Comment), options != ""})
	}
	return list, nil
}

// named is the declaration behind a type expression, or nil if it is a type of
// the language or of another module.
func (s *source) named(pkg string, e ast.Expr) *decl {
	switch e := e.(type) {
	case *ast.Ident:
		return s.types[pkg+"."+e.Name]
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return s.types[x.Name+"."+e.Sel.Name]
		}
	case *ast.StarExpr:
		return s.named(pkg, e.X)
	case *ast.ArrayType:
		return s.named(pkg, e.Elt)
	}
	return nil
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	e := d.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// returned is the text that a function returns, if it does nothing else.
func returned(d *ast.FuncDecl) string {
	if len(d.Body.List) != 1 {
		return ""
	}
	if ret, ok := d.Body.List[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
		if lit, ok := ret.Results[0].(*ast.BasicLit); ok {
			word, _ := strconv.Unquote(lit.Value)
			return word
		}
	}
	return ""
}

// text is the first comment that there is.
func text(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if g != nil {
			return strings.TrimSpace(g.Text())
		}
	}
	return ""
}
