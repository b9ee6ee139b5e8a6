// Package expr compiles and evaluates CEL, the Common Expression Language,
// within limits. No other package imports CEL.
//
// An [Env] declares variables, a [Program] is an expression over them, a
// [Template] is a text with expressions in it, and a [Scope] holds the values
// of one evaluation:
//
//	env := expr.New(expr.Var{Name: "n", Type: expr.Int})
//	prog, err := env.Condition("n > 3")
//	ok, err := prog.Bool(env.Scope(vars))
//
// Evaluation is deterministic and does no I/O: CEL has no clock, the functions
// that read the time zone database are taken out, and maps are walked in a
// fixed order. Beside the standard functions there are the string functions
// and math of CEL's extension library. An int compares with a double.
//
// Limits hold for the length and the nesting of a source, for the work and
// the memory of one evaluation, and for the length of the text that it makes.
// A panic is an error.
package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/spoorhq/spoor/internal/regex"
)

// The limits.
const (
	MaxSource = 4 << 10 // bytes of an expression
	MaxText   = 1 << 20 // bytes of a text that an evaluation makes

	maxDepth    = 64        // nesting of an expression
	maxNodes    = 10_000    // parts of an expression, macros expanded
	maxCost     = 1_000_000 // CEL's own measure of work: a tenth of a second or so
	maxElements = 1_000_000 // values, or tens of bytes, that one value may hold
	maxRegex    = 1_000     // instructions of a compiled regular expression
	maxPattern  = 1_000     // bytes of one that is not written out
	maxMatch    = 1 << 26   // bytes of a text that is matched with one, times its instructions
)

// A Var declares a variable, or a field of an [Object].
type Var struct {
	Name string
	Type Type
}

// A Type is the type of a variable. The zero Type is Any.
type Type struct {
	cel     *cel.Type
	objects []*objectType // all that the type is made of
}

// The simple types. A value of type Any is judged when it is evaluated.
var (
	Any    = Type{}
	String = Type{cel: cel.StringType}
	Int    = Type{cel: cel.IntType}
	Bool   = Type{cel: cel.BoolType}
)

func (t Type) celType() *cel.Type {
	if t.cel == nil {
		return cel.DynType
	}
	return t.cel
}

// List is the type of a list.
func List(elem Type) Type {
	return Type{cel.ListType(elem.celType()), elem.objects}
}

// An Env declares the variables of expressions. It is safe for concurrent use.
type Env struct {
	vars  []Var
	build func() *cel.Env
}

// New returns an Env with the standard functions and these variables. The cost
// of the first use is about a millisecond.
func New(vars ...Var) *Env {
	return &Env{vars, sync.OnceValue(func() *cel.Env { return extend(vars) })}
}

// Has reports whether the Env declares a variable of that name.
func (e *Env) Has(name string) bool { return find(e.vars, name) >= 0 }

func find(vars []Var, name string) int {
	for i := range vars {
		if vars[i].Name == name {
			return i
		}
	}
	return -1
}

// A Program is a compiled expression. It is safe for concurrent use.
type Program struct {
	prog cel.Program
	info *ast.SourceInfo
	at   position
}

// Compile compiles an expression of any type. Its error is [Faults].
func (e *Env) Compile(src string) (*Program, error) {
	return e.compile(src, position{1, 1}, false)
}

// Condition compiles an expression that gives a boolean. One of type Any is
// held to that when it is evaluated. Its error is [Faults].
func (e *Env) Condition(src string) (*Program, error) {
	return e.compile(src, position{1, 1}, true)
}

func (e *Env) compile(src string, at position, boolean bool) (p *Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, Faults{{at.line, at.column, fmt.Sprintf("CEL failed on this expression: %v", r), ""}}
		}
	}()
	if len(src) > MaxSource {
		return nil, Faults{{at.line, at.column, fmt.Sprintf("the expression is longer than %d bytes", MaxSource), "bind a function instead"}}
	}
	if strings.TrimSpace(src) == "" {
		return nil, Faults{{at.line, at.column, "there is no expression here", "write true for what always holds"}}
	}
	env := e.build()
	tree, issues := env.Parse(src)
	if issues.Err() == nil {
		if foldWork(tree.NativeRep().Expr()) > regex.MaxWork {
			return nil, Faults{{at.line, at.column, "a regular expression names too many characters", "use fewer or smaller classes, or drop the flag i"}}
		}
		tree, issues = env.Check(tree)
	}
	if issues.Err() != nil {
		return nil, e.faults(src, issues.Errors(), at)
	}
	if t := tree.OutputType(); boolean && t.Kind() != types.BoolKind && t.Kind() != types.DynKind {
		return nil, Faults{{at.line, at.column, fmt.Sprintf("a condition must be true or false, and this is of type %s", t), "compare it with something"}}
	}
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize), cel.CustomDecoratorV2(fixOrder), cel.CustomDecoratorV2(boundMatches)}
	loops, makes := weigh(tree.NativeRep().Expr())
	if loops || makes {
		options = append(options, cel.CostTracking(work{}), cel.CostLimit(maxCost))
	}
	if makes {
		options = append(options,
			cel.MemoryTracking(types.MemoryTrackerSizeCalculator(sizer)),
			cel.MemoryLimit(maxElements))
	}
	prog, err := env.Program(tree, options...)
	if err != nil {
		return nil, Faults{{at.line, at.column, err.Error(), ""}}
	}
	return &Program{prog, tree.NativeRep().SourceInfo(), at}, nil
}

// light are the functions whose work is at most in proportion to what they are
// given, and which make nothing.
var light = map[string]bool{
	"_&&_": true, "_||_": true, "!_": true, "_?_:_": true, "@not_strictly_false": true,
	"_==_": true, "_!=_": true, "_<_": true, "_<=_": true, "_>_": true, "_>=_": true,
	"_[_]": true, "@in": true, "-_": true,
	"contains": true, "startsWith": true, "endsWith": true, "size": true,
}

// weigh tells what can grow beyond the length of the source: the work of an
// expression that loops, and also the values of one that makes some. Counting
// is left out where it could find nothing, since it costs more than most
// conditions.
func weigh(root ast.Expr) (loops, makes bool) {
	ast.PostOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.ComprehensionKind:
			loops = true
		case ast.CallKind:
			makes = makes || !light[e.AsCall().FunctionName()]
		case ast.ListKind, ast.MapKind, ast.StructKind:
			makes = makes || e.Kind() != ast.ListKind || e.AsList().Size() == 0 || !constant(e)
		}
	}))
	return loops, makes
}

// constant reports whether e is a literal, or a list of them.
func constant(e ast.Expr) bool {
	if e.Kind() == ast.ListKind {
		return !slices.ContainsFunc(e.AsList().Elements(), func(e ast.Expr) bool { return !constant(e) })
	}
	return e.Kind() == ast.LiteralKind
}

// Bool evaluates the expression, which must give a boolean.
func (p *Program) Bool(s *Scope) (bool, error) {
	v, err := p.eval(s)
	if err != nil {
		return false, err
	}
	b, ok := v.(types.Bool)
	if !ok {
		return false, p.at.errorf("a condition must be true or false, and this is of type %s", v.Type().TypeName())
	}
	return bool(b), nil
}

// Value evaluates the expression.
func (p *Program) Value(s *Scope) (Value, error) {
	v, err := p.eval(s)
	return Value{v}, err
}

func (p *Program) eval(s *Scope) (ref.Val, error) {
	v, _, err := p.prog.Eval(s)
	if err != nil {
		return nil, p.explain(err)
	}
	return v, nil
}

// explain says where an evaluation failed.
func (p *Program) explain(err error) error {
	var stop interpreter.EvalCancelledError
	if errors.As(err, &stop) {
		switch stop.Cause {
		case interpreter.CostLimitExceeded:
			return p.at.errorf("the expression takes too much work on these values")
		case interpreter.MemoryLimitExceeded:
			return p.at.errorf("the expression handles too large a value")
		}
	}
	at := p.at
	if e, ok := err.(*types.Err); ok && ref.Val(e) != types.NoSuchOverloadErr() {
		if loc := p.info.GetStartLocation(e.NodeID()); loc.Line() > 0 {
			at = at.plus(loc.Line(), loc.Column())
		}
	}
	if strings.HasPrefix(err.Error(), "no such overload") {
		return at.errorf("this is not defined for values of these types")
	}
	return at.errorf("%w", err)
}
