package expr

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// JSON is the value of a JSON text, or null if text is not one.
//
// A number written without fraction and exponent is an int, beyond int64 a
// uint; every other is a double. One that fits in none of these is never
// rounded: it keeps its digits, equals only itself, and string(n) gives the
// digits, but it has no order and no arithmetic. Of equal keys the last wins.
func JSON(text string) Value {
	if !json.Valid([]byte(text)) {
		return Value{}
	}
	p := parser{text: text}
	return Value{p.value()}
}

// JSONObject is the value of a text that is one JSON object, or null.
func JSONObject(text string) Value {
	if s := strings.TrimLeft(text, " \t\r\n"); s == "" || s[0] != '{' {
		return Value{}
	}
	return JSON(text)
}

// A parser reads a text that is known to be valid.
type parser struct {
	text string
	i    int
}

func (p *parser) space() {
	for p.i < len(p.text) && p.text[p.i] <= ' ' {
		p.i++
	}
}

// next skips space, and returns the byte there and steps over it.
func (p *parser) next() byte {
	p.space()
	p.i++
	return p.text[p.i-1]
}

func (p *parser) value() ref.Val {
	p.space()
	switch p.text[p.i] {
	case '{':
		p.i++
		d := &dict{}
		if p.space(); p.text[p.i] == '}' {
			p.i++
			return d
		}
		for {
			p.space()
			key := p.string()
			p.next() // the colon
			d.add(key, p.value())
			if p.next() == '}' {
				return d
			}
		}
	case '[':
		p.i++
		var list []ref.Val
		if p.space(); p.text[p.i] == ']' {
			p.i++
		} else {
			for {
				list = append(list, p.value())
				if p.next() == ']' {
					break
				}
			}
		}
		return types.NewRefValList(types.DefaultTypeAdapter, list)
	case '"':
		return p.string()
	case 't':
		p.i += len("true")
		return types.True
	case 'f':
		p.i += len("false")
		return types.False
	case 'n':
		p.i += len("null")
		return types.NullValue
	}
	return p.number()
}

func (p *parser) string() types.String {
	start := p.i
	p.i++
	plain := true
	for p.text[p.i] != '"' {
		if p.text[p.i] == '\\' {
			plain = false
			p.i++
		}
		p.i++
	}
	p.i++
	quoted := p.text[start:p.i]
	if plain && utf8.ValidString(quoted) {
		return types.String(quoted[1 : len(quoted)-1])
	}
	var s string
	if err := json.Unmarshal([]byte(quoted), &s); err != nil {
		panic(err)
	}
	return types.String(s)
}

func (p *parser) number() ref.Val {
	start := p.i
	integer := true
	for ; p.i < len(p.text); p.i++ {
		c := p.text[p.i]
		if c == '.' || c == 'e' || c == 'E' {
			integer = false
		} else if c != '-' && c != '+' && (c < '0' || c > '9') {
			break
		}
	}
	digits := p.text[start:p.i]
	if integer {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return types.Int(n)
		}
		if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
			return types.Uint(n)
		}
		return number(digits)
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return number(digits)
	}
	return types.Double(f)
}

// A number is a number that no type of CEL holds, as it is written.
type number string

var numberType = types.NewOpaqueType("number")

func (n number) Equal(other ref.Val) ref.Val                 { return types.Bool(other == ref.Val(n)) }
func (n number) Type() ref.Type                              { return numberType }
func (n number) Value() any                                  { return string(n) }
func (n number) ConvertToNative(t reflect.Type) (any, error) { return noNative(n, t) }
func (n number) AggregateSize(types.AggregateSizer) uint32   { return uint32(len(n)/10 + 1) }

func (n number) ConvertToType(t ref.Type) ref.Val {
	if t == types.StringType {
		return types.String(n)
	}
	return noConversion(n, t)
}

// AppendText appends the value as text: a string as it is, everything else as
// compact JSON.
func (v Value) AppendText(b []byte) ([]byte, error) {
	if s, ok := v.val().(types.String); ok {
		if len(b)+len(s) > MaxText {
			return nil, errTooLong
		}
		return append(b, s...), nil
	}
	return v.AppendJSON(b)
}

// AppendJSON appends the value as compact JSON. An integer is exact.
func (v Value) AppendJSON(b []byte) ([]byte, error) {
	b, err := appendJSON(b, v.val(), 0)
	if err == nil && len(b) > MaxText {
		err = errTooLong
	}
	return b, err
}

func appendJSON(b []byte, v ref.Val, depth int) ([]byte, error) {
	if len(b) > MaxText || depth > 10*maxDepth {
		return nil, errTooLong
	}
	switch v := v.(type) {
	case types.Null:
		return append(b, "null"...), nil
	case types.Bool:
		return strconv.AppendBool(b, bool(v)), nil
	case types.Int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case types.Uint:
		return strconv.AppendUint(b, uint64(v), 10), nil
	case number:
		return append(b, v...), nil
	case types.Double:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, errors.New("a number that is not finite cannot be written")
		}
		text, err := json.Marshal(float64(v) + 0) // not -0
		return append(b, text...), err
	case types.String:
		return AppendString(b, string(v)), nil
	case *object:
		b = append(b, '{')
		for i, f := range v.of.fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, f.Name), ':')
			val, _ := v.fields.get(f.Name)
			var err error
			if b, err = appendJSON(b, val, depth+1); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case traits.Mapper:
		b = append(b, '{')
		first := true
		for it := v.Iterator(); it.HasNext() == types.True; first = false {
			key := it.Next()
			name, ok := key.(types.String)
			if !ok {
				return nil, fmt.Errorf("a key of type %s cannot be written as JSON; make it a string", key.Type().TypeName())
			}
			if !first {
				b = append(b, ',')
			}
			b = append(AppendString(b, string(name)), ':')
			var err error
			if b, err = appendJSON(b, v.Get(key), depth+1); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case traits.Lister:
		b = append(b, '[')
		first := true
		for it := v.Iterator(); it.HasNext() == types.True; first = false {
			if !first {
				b = append(b, ',')
			}
			var err error
			if b, err = appendJSON(b, it.Next(), depth+1); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
	return nil, fmt.Errorf("a value of type %s cannot be written; make it a string", v.Type().TypeName())
}

// AppendString appends a string as JSON.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s { // an invalid byte is U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
