package expr

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/decls"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/stdlib"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"
)

// base is what all Envs share. It fails only if the CEL library and this
// package do not fit together.
var base = sync.OnceValue(func() *cel.Env {
	subset := env.NewLibrarySubset()
	for _, fn := range stdlib.Functions() {
		zone := env.NewFunction(fn.Name())
		for _, o := range fn.OverloadDecls() {
			if strings.HasSuffix(o.ID(), "_tz") { // reads the time zone database
				zone.Overloads = append(zone.Overloads, env.NewOverload(o.ID(), nil, nil))
			}
		}
		if len(zone.Overloads) > 0 {
			subset.AddExcludedFunctions(zone)
		}
	}
	e, err := cel.NewCustomEnv(
		cel.StdLib(cel.StdLibSubset(subset)),
		ext.Strings(), ext.Math(), guardStrings,
		cel.Function("string", cel.Overload("number_to_string", []*cel.Type{numberType}, cel.StringType,
			cel.UnaryBinding(func(n ref.Val) ref.Val { return n.ConvertToType(types.StringType) }))),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserExpressionSizeLimit(MaxSource),
		cel.ParserRecursionLimit(maxDepth),
		cel.ExpressionNodeLimit(maxNodes),
		cel.RegexProgramSizeLimit(maxRegex),
		cel.EagerlyValidateDeclarations(true),
	)
	if err != nil {
		panic(err)
	}
	return e
})

func extend(vars []Var) *cel.Env {
	registry, err := types.NewRegistry()
	if err != nil {
		panic(err)
	}
	known := provider{registry, map[string]*objectType{}}
	options := []cel.EnvOption{cel.CustomTypeProvider(known)}
	for _, v := range vars {
		options = append(options, cel.Variable(v.Name, v.Type.celType()))
		for _, o := range v.Type.objects {
			known.objects[o.cel.TypeName()] = o
		}
	}
	e, err := base().Extend(options...)
	if err != nil {
		panic(err)
	}
	return e
}

// A provider tells CEL of the object types.
type provider struct {
	*types.Registry
	objects map[string]*objectType
}

func (p provider) FindStructType(name string) (*types.Type, bool) {
	if o := p.objects[name]; o != nil {
		return types.NewTypeTypeWithParam(o.cel), true
	}
	return p.Registry.FindStructType(name)
}

func (p provider) FindStructFieldNames(name string) ([]string, bool) {
	if o := p.objects[name]; o != nil {
		return nil, true
	}
	return p.Registry.FindStructFieldNames(name)
}

func (p provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if o := p.objects[name]; o != nil {
		if i := find(o.fields, field); i >= 0 {
			return &types.FieldType{Type: o.fields[i].Type.celType()}, true
		}
		return nil, false
	}
	return p.Registry.FindStructFieldType(name, field)
}

var errTooLong = errors.New("the text would be too long")

// guards refuse, before the work begins, the string functions whose work or
// result can be out of proportion to their arguments.
var guards = map[string]func(args []ref.Val) bool{
	"replace": func(args []ref.Val) bool {
		s, old, new := args[0].(types.String), args[1].(types.String), args[2].(types.String)
		n := strings.Count(string(s), string(old))
		return len(s)+n*(len(new)-len(old)) <= MaxText
	},
	"join": func(args []ref.Val) bool {
		sum, gap := 0, 0
		if len(args) > 1 {
			gap = len(args[1].(types.String))
		}
		for it := args[0].(traits.Lister).Iterator(); sum <= MaxText && it.HasNext() == types.True; {
			s, _ := it.Next().(types.String)
			sum += len(s) + gap
		}
		return sum <= MaxText
	},
	"indexOf":     smallSearch,
	"lastIndexOf": smallSearch,
	"format": func(args []ref.Val) bool {
		return int64(sizer.AggregateSize(args[1])) <= MaxText/10
	},
}

// smallSearch bounds a search that compares every place with all that is
// sought.
func smallSearch(args []ref.Val) bool {
	return len(args[0].(types.String))*len(args[1].(types.String)) <= 1<<26
}

// sizer measures values for the memory limit. Values remember their size.
var sizer = types.NewSizeCalculator(
	types.SizeCalculatorMaxDepth(10*maxDepth),
	types.SizeCalculatorMaxTraversal(2*maxElements))

// guardStrings puts the guards before the functions of the string library.
func guardStrings(e *cel.Env) (*cel.Env, error) {
	for name, fits := range guards {
		fn := e.Functions()[name]
		if fn == nil {
			return nil, fmt.Errorf("no function %s", name)
		}
		bindings, err := fn.Bindings()
		if err != nil {
			return nil, err
		}
		var overloads []cel.FunctionOpt
		for _, o := range fn.OverloadDecls() {
			for _, b := range bindings {
				if b.Operator != o.ID() {
					continue
				}
				var guarded decls.OverloadOpt
				switch len(o.ArgTypes()) {
				case 1:
					guarded = cel.UnaryBinding(func(x ref.Val) ref.Val {
						if !fits([]ref.Val{x}) {
							return types.WrapErr(errTooLong)
						}
						return b.Unary(x)
					})
				case 2:
					guarded = cel.BinaryBinding(func(x, y ref.Val) ref.Val {
						if !fits([]ref.Val{x, y}) {
							return types.WrapErr(errTooLong)
						}
						return b.Binary(x, y)
					})
				default:
					guarded = cel.FunctionBinding(func(args ...ref.Val) ref.Val {
						if !fits(args) {
							return types.WrapErr(errTooLong)
						}
						return b.Function(args...)
					})
				}
				overloads = append(overloads, cel.MemberOverload(o.ID(), o.ArgTypes(), o.ResultType(), guarded))
			}
		}
		if e, err = cel.Function(name, overloads...)(e); err != nil {
			return nil, err
		}
	}
	return e, nil
}
