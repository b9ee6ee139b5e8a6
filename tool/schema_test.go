package tool_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/tool"
)

// Some schemas would keep the validator busy for ever. They are not used.
func TestEndlessSchemas(t *testing.T) {
	laughs := `{"$defs":{"a0":{}`
	for i := range 30 {
		laughs += fmt.Sprintf(`,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i+1, i, i)
	}
	for schema, fine := range map[string]bool{
		`{"$id":"https://example.com/a","type":"object"}`:                              true,
		`{"$defs":{"a/b":{"type":"null"}},"properties":{"a":{"$ref":"#/$defs/a~1b"}}}`: true,
		`{"$defs":{"é":{"type":"null"}},"properties":{"a":{"$ref":"#/$defs/%C3%A9"}}}`: true,
		`{"properties":{"$ref":{"type":"string"}}}`:                                    true,
		`{"$ref":"#"}`: false,
		`{"properties":{"a":{"$ref":"#/properties/b"},"b":{"anyOf":[{"$ref":"#/properties/a"}]}}}`: false,
		`{"properties":{"next":{"$ref":"#"}}}`:                                                     false,
		`{"properties":{"a":{"$id":"b","$ref":"#"}}}`:                                              false,
		`{"properties":{"a":{"$ref":"#/nowhere"}}}`:                                                false,
		`{"properties":{"a":{"$ref":"#/properties/5"}}}`:                                           false,
		`{"$ref":"a.json"}`:                false,
		laughs + `},"$ref":"#/$defs/a30"}`: false,
		`true`:                             false,
		`{`:                                false,
	} {
		if _, err := tool.Checked(tool.Tool{Schema: schema}); (err == nil) != fine {
			t.Errorf("%.100s: %v", schema, err)
		}
	}
}

// Arguments reach the tool as they are, with every digit.
func TestCheckedKeepsEveryDigit(t *testing.T) {
	echo, err := tool.Checked(tool.Tool{
		Schema: `{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993},"x":{"type":"number"}}}`,
		Call:   func(_ context.Context, args string) (tool.Result, error) { return tool.Result{Text: args}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"n":9007199254740993}`: "",
		`{"n":1.0}`:              "",
		`{"x":1234567890123456789012345678901234567890}`: "",
		`{"x":1E400}`:           "the number 1E400 is out of all bounds",
		`{"x":[-1e4000000000]}`: "the number -1e4000000000 is out of all bounds",
	} {
		r, err := echo.Call(t.Context(), args)
		switch {
		case want == "" && (err != nil || r.Text != args):
			t.Errorf("%.80s: got %.80s, %v", args, r.Text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%.80s: got %v, want %s", args, err, want)
		}
	}
}

func ExampleValidator() {
	check, err := tool.Validator(`{"type": "object", "required": ["id"]}`)
	fmt.Println(err)
	fmt.Println(check(`{"id": 17}`))
	fmt.Println(check(`{}`))
	// Output:
	// <nil>
	// <nil>
	// validating root: required: missing properties: ["id"]
}
