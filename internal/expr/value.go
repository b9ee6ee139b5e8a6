package expr

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// Vars gives the values of variables, or of the fields of an object. A [Scope]
// asks for each at most once, and only if an expression needs it.
type Vars interface {
	Var(name string) Value
}

// A Value is a value of CEL. The zero Value is null.
type Value struct{ v ref.Val }

func (v Value) val() ref.Val {
	if v.v == nil {
		return types.NullValue
	}
	return v.v
}

// Text is the value of a string.
func Text(s string) Value { return Value{types.String(s)} }

// Number is the value of an integer.
func Number(n int) Value { return Value{types.Int(n)} }

// ListOf is the value of a list of n elements.
func ListOf(n int, at func(int) Value) Value {
	elems := make([]ref.Val, n)
	for i := range elems {
		elems[i] = at(i).val()
	}
	return Value{types.NewRefValList(types.DefaultTypeAdapter, elems)}
}

// A Scope holds the values of variables for as long as they stay the same. It
// is not safe for concurrent use.
type Scope struct {
	fields []Var
	vars   Vars
	vals   []ref.Val
}

// Scope returns a Scope over these values.
func (e *Env) Scope(vars Vars) *Scope {
	return &Scope{fields: e.vars, vars: vars}
}

func (s *Scope) get(name string) (ref.Val, bool) {
	i := find(s.fields, name)
	if i < 0 {
		return nil, false
	}
	if s.vals == nil {
		s.vals = make([]ref.Val, len(s.fields))
	}
	if s.vals[i] == nil {
		s.vals[i] = s.vars.Var(name).val()
	}
	return s.vals[i], true
}

// ResolveName makes a Scope an activation of CEL.
func (s *Scope) ResolveName(name string) (any, bool) {
	v, ok := s.get(name)
	return v, ok
}

// Parent makes a Scope an activation of CEL.
func (s *Scope) Parent() interpreter.Activation { return nil }

type objectType struct {
	cel    *cel.Type
	fields []Var
}

// An ObjectType is the type of values with fixed fields: a misspelt field is a
// fault when an expression is compiled.
type ObjectType struct {
	Type
	object *objectType
}

// Object is the type of values with these fields.
func Object(name string, fields ...Var) ObjectType {
	o := &objectType{cel.ObjectType("spoor." + name), fields}
	return ObjectType{Type{o.cel, []*objectType{o}}, o}
}

// Of is the value whose fields are vars.
func (t ObjectType) Of(vars Vars) Value {
	return Value{&object{t.object, Scope{fields: t.object.fields, vars: vars}}}
}

type object struct {
	of     *objectType
	fields Scope
}

func (o *object) Get(key ref.Val) ref.Val {
	if name, ok := key.(types.String); ok {
		if v, ok := o.fields.get(string(name)); ok {
			return v
		}
	}
	return types.NewErr("there is no field %v", key)
}

func (o *object) IsSet(key ref.Val) ref.Val {
	name, _ := key.(types.String)
	return types.Bool(find(o.fields.fields, string(name)) >= 0)
}

func (o *object) FindStringKey(name string) (any, bool)       { return o.fields.ResolveName(name) }
func (o *object) AggregateSize(types.AggregateSizer) uint32   { return 1 }
func (o *object) Equal(other ref.Val) ref.Val                 { return types.Bool(other == ref.Val(o)) }
func (o *object) Type() ref.Type                              { return o.of.cel }
func (o *object) Value() any                                  { return o }
func (o *object) ConvertToType(t ref.Type) ref.Val            { return noConversion(o, t) }
func (o *object) ConvertToNative(t reflect.Type) (any, error) { return noNative(o, t) }
func noConversion(v ref.Val, t ref.Type) ref.Val {
	if t == types.TypeType {
		return v.Type().(ref.Val)
	}
	if t.TypeName() == v.Type().TypeName() {
		return v
	}
	return types.NewErr("there is no conversion from %s to %s", v.Type().TypeName(), t.TypeName())
}

func noNative(v ref.Val, t reflect.Type) (any, error) {
	if reflect.TypeOf(v).AssignableTo(t) {
		return v, nil
	}
	return nil, fmt.Errorf("there is no conversion from %s to %s", v.Type().TypeName(), t)
}

// A dict is a map that is walked in the order of its keys here.
type dict struct {
	keys, vals []ref.Val
	index      map[types.String]int // of a long one whose keys are strings
	size       atomic.Uint32        // what sizer said, if it has been asked
}

// add sets a key. A key that is there keeps its place.
func (d *dict) add(key, val ref.Val) {
	if i := d.find(key); i >= 0 {
		d.vals[i] = val
		return
	}
	d.keys, d.vals = append(d.keys, key), append(d.vals, val)
	if d.index != nil {
		if s, ok := key.(types.String); ok {
			d.index[s] = len(d.keys) - 1
		} else {
			d.index = nil
		}
	}
	if len(d.keys) == 9 {
		index := make(map[types.String]int, 32)
		for i, k := range d.keys {
			s, ok := k.(types.String)
			if !ok {
				return
			}
			index[s] = i
		}
		d.index = index
	}
}

func (d *dict) find(key ref.Val) int {
	s, isString := key.(types.String)
	if d.index != nil { // all keys are strings, and so equal nothing else
		if i, ok := d.index[s]; ok && isString {
			return i
		}
		return -1
	}
	for i, k := range d.keys {
		if ks, ok := k.(types.String); isString && ok {
			if s == ks {
				return i
			}
		} else if types.Equal(k, key) == types.True {
			return i
		}
	}
	return -1
}

func (d *dict) Find(key ref.Val) (ref.Val, bool) {
	if types.IsUnknownOrError(key) {
		return key, false
	}
	if i := d.find(key); i >= 0 {
		return d.vals[i], true
	}
	return nil, false
}

func (d *dict) Get(key ref.Val) ref.Val {
	if v, ok := d.Find(key); ok || v != nil {
		return v
	}
	return types.NewErr("no such key: %v", key)
}

func (d *dict) FindStringKey(key string) (any, bool) {
	if i := d.find(types.String(key)); i >= 0 {
		return d.vals[i], true
	}
	return nil, false
}

func (d *dict) Contains(key ref.Val) ref.Val {
	v, ok := d.Find(key)
	if !ok && v != nil {
		return v
	}
	return types.Bool(ok)
}

func (d *dict) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Mapper)
	if !ok || o.Size() != d.Size() {
		return types.False
	}
	for i, k := range d.keys {
		v, ok := o.Find(k)
		if !ok || types.Equal(d.vals[i], v) != types.True {
			return types.False
		}
	}
	return types.True
}

func (d *dict) AggregateSize(s types.AggregateSizer) uint32 {
	if n := d.size.Load(); n != 0 {
		return n
	}
	n := uint32(1)
	for i, k := range d.keys {
		for _, v := range []ref.Val{k, d.vals[i]} {
			n += min(s.AggregateSize(v), maxElements)
		}
		n = min(n, 2*maxElements)
	}
	d.size.Store(n)
	return n
}

func (d *dict) Iterator() traits.Iterator {
	return types.NewRefValList(types.DefaultTypeAdapter, d.keys).Iterator()
}

func (d *dict) Size() ref.Val                               { return types.Int(len(d.keys)) }
func (d *dict) IsZeroValue() bool                           { return len(d.keys) == 0 }
func (d *dict) Type() ref.Type                              { return types.MapType }
func (d *dict) ConvertToType(t ref.Type) ref.Val            { return noConversion(d, t) }
func (d *dict) ConvertToNative(t reflect.Type) (any, error) { return noNative(d, t) }

func (d *dict) Value() any {
	m := make(map[ref.Val]ref.Val, len(d.keys))
	for i, k := range d.keys {
		m[k] = d.vals[i]
	}
	return m
}

// fixOrder makes a map literal a dict, ordered by its keys: CEL keeps it as a
// Go map, whose order is chance.
func fixOrder(node interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if c, ok := node.(interpreter.InterpretableConstructor); ok && c.Type() == types.MapType {
		return ordered{c}, nil
	}
	return node, nil
}

type ordered struct {
	interpreter.InterpretableConstructor
}

func (o ordered) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return inOrder(o.InterpretableConstructor.Exec(frame))
}

func (o ordered) Eval(vars interpreter.Activation) ref.Val {
	return inOrder(o.InterpretableConstructor.Eval(vars))
}

func inOrder(v ref.Val) ref.Val {
	m, ok := v.(traits.Mapper)
	if !ok {
		return v
	}
	var keys []ref.Val
	for it := m.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	slices.SortFunc(keys, func(a, b ref.Val) int {
		if c := cmp.Compare(a.Type().TypeName(), b.Type().TypeName()); c != 0 {
			return c
		}
		if a, ok := a.(traits.Comparer); ok {
			c, _ := a.Compare(b).(types.Int)
			return int(c)
		}
		return 0
	})
	d := &dict{}
	for _, k := range keys {
		d.add(k, m.Get(k))
	}
	return d
}
