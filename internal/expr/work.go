package expr

import (
	"errors"
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/spoorhq/spoor/internal/regex"
)

// work measures the calls that CEL takes for cheaper than they are: it knows how
// long a text or a list is, but not what the elements of a list hold, and takes
// a conversion and the size of a text for one step.
type work struct{}

func (work) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	n := uint64(1)
	switch function {
	case operators.Equals, operators.NotEquals:
		n += min(weight(args[0]), weight(args[1]))
	case operators.Add:
		list, ok := args[0].(traits.Lister)
		if !ok {
			return nil
		}
		length, _ := list.Size().(types.Int) // the memory limit goes through it
		n += uint64(length) / 50
	case operators.In:
		if list, ok := args[1].(traits.Lister); ok {
			length, _ := list.Size().(types.Int)
			n += min(weight(list), uint64(length)*(1+weight(args[0])))
		}
	case overloads.Matches:
		pattern, _ := args[1].(types.String)
		n += weight(args[0])*(1+weight(pattern)) + 2*uint64(len(pattern)) + uint64(regex.Work(string(pattern), "")/10)
	case overloads.Size:
		if s, ok := args[0].(types.String); ok {
			n += weight(s)
		}
	case overloads.TypeConvertBool, overloads.TypeConvertInt, overloads.TypeConvertUint, overloads.TypeConvertDouble,
		overloads.TypeConvertString, overloads.TypeConvertTimestamp, overloads.TypeConvertDuration, "math.@min", "math.@max":
		for _, a := range args {
			n += weight(a)
		}
	default:
		return nil // CEL's own measure
	}
	return &n
}

// weight is what it takes to go through a value: ten bytes of a text, or one
// element, are one step. Lists and maps remember it.
func weight(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(len(v) / 10)
	case types.Int, types.Uint, types.Double, types.Bool, types.Null:
		return 0
	}
	return uint64(sizer.AggregateSize(v))
}

// foldWork is the work of reading the regular expressions that are written out.
func foldWork(root ast.Expr) (n int) {
	ast.PostOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != overloads.Matches {
			return
		}
		args := e.AsCall().Args()
		if len(args) == 0 || args[len(args)-1].Kind() != ast.LiteralKind {
			return
		}
		if pattern, ok := args[len(args)-1].AsLiteral().(types.String); ok {
			n += regex.Work(string(pattern), "")
		}
	}))
	return n
}

var (
	errLongPattern = errors.New("the regular expression is too long for one that is not written out")
	errLongMatch   = errors.New("the text is too long for this regular expression")
)

// boundMatches refuses, before the work begins, a text that is too long for the
// regular expression that it is matched with, and a regular expression that is
// made by the evaluation and too long itself.
func boundMatches(node interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := node.(interpreter.InterpretableCall)
	if !ok || call.Function() != overloads.Matches || len(call.Args()) != 2 {
		return node, nil
	}
	args := slices.Clone(call.Args())
	size := maxRegex
	if written, ok := args[1].(interpreter.InterpretableConst); ok {
		pattern, _ := written.Value().(types.String)
		n, err := types.RegexProgramSize(string(pattern))
		if err != nil {
			return node, nil // CEL says what is wrong with it
		}
		size = n
	} else {
		args[1] = bounded{args[1], func(s string) error {
			if len(s) > maxPattern || regex.Work(s, "") > regex.MaxWork/8 {
				return errLongPattern
			}
			return nil
		}}
	}
	args[0] = bounded{args[0], func(s string) error {
		if len(s)*size > maxMatch {
			return errLongMatch
		}
		return nil
	}}
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), args, func(args ...ref.Val) ref.Val {
		if s, ok := args[0].(types.String); ok {
			return s.Match(args[1])
		}
		return types.MaybeNoSuchOverloadErr(args[0])
	}), nil
}

// bounded is an argument that is checked before it is used, if it is a text.
type bounded struct {
	interpreter.InterpretableV2
	check func(string) error
}

func (b bounded) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return b.checked(b.InterpretableV2.Exec(frame))
}

func (b bounded) Eval(vars interpreter.Activation) ref.Val {
	return b.checked(b.InterpretableV2.Eval(vars))
}

func (b bounded) checked(v ref.Val) ref.Val {
	if s, ok := v.(types.String); ok {
		if err := b.check(string(s)); err != nil {
			return types.WrapErr(err)
		}
	}
	return v
}
