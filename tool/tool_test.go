package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/tool"
)

type order struct {
	ID    int64    `json:"id" jsonschema:"the number on the receipt"`
	Note  string   `json:"note,omitempty"`
	Tags  []string `json:"tags,omitzero"`
	Price *float64 `json:"price,omitempty"`
}

type risk struct {
	Level string `json:"riskLevel"`
	ID    int64  `json:"id"`
}

func call(t *testing.T, tl tool.Tool, args string) (string, error) {
	t.Helper()
	result, err := tl.Call(context.Background(), args)
	return result.Text, err
}

func TestTheSchemaIsThatOfTheStruct(t *testing.T) {
	tl := tool.New("assess", "Rate an order.", func(context.Context, order) (risk, error) { return risk{}, nil })
	var schema struct {
		Type                 string
		Required             []string
		AdditionalProperties json.RawMessage
		Properties           map[string]struct {
			Type        any
			Description string
		}
	}
	if err := json.Unmarshal([]byte(tl.Schema), &schema); err != nil {
		t.Fatal(err)
	}
	if tl.Name != "assess" || tl.Description != "Rate an order." || schema.Type != "object" {
		t.Errorf("%+v", tl)
	}
	if d := cmp.Diff([]string{"id"}, schema.Required); d != "" {
		t.Error("only what has no omitempty is required", d)
	}
	if p := schema.Properties["id"]; p.Type != "integer" || p.Description != "the number on the receipt" {
		t.Errorf("id: %+v", p)
	}
	if len(schema.Properties) != 4 {
		t.Errorf("%s", tl.Schema)
	}
}

func TestIntegersKeepEveryDigitBothWays(t *testing.T) {
	tl := tool.New("echo", "", func(_ context.Context, o order) (risk, error) { return risk{"low", o.ID}, nil })
	for _, id := range []int64{0, -1, 1<<53 + 1, math.MaxInt64, math.MinInt64} {
		got, err := call(t, tl, fmt.Sprintf(`{"id": %d}`, id))
		if want := fmt.Sprintf(`{"riskLevel":"low","id":%d}`, id); got != want || err != nil {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

func TestWhatMayBeLeftOutMayBeLeftOut(t *testing.T) {
	tl := tool.New("echo", "", func(_ context.Context, o order) (order, error) { return o, nil })
	for _, args := range []string{`{"id":1}`, `{"id":1,"note":"x","tags":["a"],"price":1.5}`} {
		if got, err := call(t, tl, args); got != args || err != nil {
			t.Errorf("%s: got %s, %v", args, got, err)
		}
	}
}

func TestArgumentsThatDoNotFitDoNotReachTheTool(t *testing.T) {
	tl := tool.New("pay", "", func(context.Context, order) (string, error) {
		t.Error("the tool was reached")
		return "", nil
	})
	for _, args := range []string{
		``, `{`, `null`, `[]`, `"id"`, `{}`,
		`{"id": "17"}`, `{"id": 1.5}`, `{"id": null}`,
		`{"id": 1, "idd": 2}`, `{"ID": 1}`, `{"id": 1, "note": 2}`,
		`{"id": 9223372036854775808}`, `{"id": 1} {}`,
	} {
		_, err := call(t, tl, args)
		var wrong *tool.ArgumentError
		if !errors.As(err, &wrong) || wrong.Unwrap() == nil || !strings.HasPrefix(err.Error(), "the arguments are not what the tool takes: ") {
			t.Errorf("%s: got %v", args, err)
		}
	}
}

func TestAStringIsToldAsItIs(t *testing.T) {
	type none struct{}
	for _, text := range []string{"", "plain", `{"a": 1}`, "<b> & \"quotes\"\n"} {
		tl := tool.New("say", "", func(context.Context, none) (string, error) { return text, nil })
		if got, err := call(t, tl, `{}`); got != text || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, text)
		}
	}
}

func TestAResultIsItsJSONWithoutEscapesForHTML(t *testing.T) {
	type none struct{}
	tl := tool.New("say", "", func(context.Context, none) (map[string]any, error) {
		return map[string]any{"html": "<b>&</b>", "list": []int{1}, "none": nil}, nil
	})
	if got, err := call(t, tl, `{}`); got != `{"html":"<b>&</b>","list":[1],"none":null}` || err != nil {
		t.Error(got, err)
	}
}

func TestTheErrorOfATool(t *testing.T) {
	type none struct{}
	broken := errors.New("no connection")
	failing := tool.New("look", "", func(context.Context, none) (risk, error) { return risk{}, broken })
	if got, err := call(t, failing, `{}`); got != "" || err != broken {
		t.Errorf("got %q, %v", got, err)
	}
	unwritable := tool.New("look", "", func(context.Context, none) (float64, error) { return math.NaN(), nil })
	_, err := call(t, unwritable, `{}`)
	if wrong := (*tool.ArgumentError)(nil); err == nil || errors.As(err, &wrong) {
		t.Errorf("a result that has no JSON: %v", err)
	}
}

func TestTheContextReachesTheTool(t *testing.T) {
	type none struct{}
	type key struct{}
	tl := tool.New("who", "", func(ctx context.Context, _ none) (string, error) { return ctx.Value(key{}).(string), nil })
	if got, err := tl.Call(context.WithValue(t.Context(), key{}, "me"), `{}`); got.Text != "me" || err != nil {
		t.Error(got, err)
	}
}

// TestAnswer is what a call hears of a person.
func TestAnswer(t *testing.T) {
	if said, ok := tool.Answer(t.Context()); ok || said != "" {
		t.Errorf("a call that asked nothing heard %q", said)
	}
	ctx := tool.WithAnswer(t.Context(), "yes")
	if said, ok := tool.Answer(ctx); !ok || said != "yes" {
		t.Errorf("it heard %q, %v", said, ok)
	}
	if said, ok := tool.Answer(tool.WithAnswer(ctx, "")); !ok || said != "" { // to its next question
		t.Errorf("it heard %q, %v", said, ok)
	}
}

// TestAQuestionPassesThrough holds that a tool which New or Checked made asks as
// any other.
func TestAQuestionPassesThrough(t *testing.T) {
	type none struct{}
	asks := tool.New("pay", "", func(ctx context.Context, _ none) (string, error) {
		return "", fmt.Errorf("not yet: %w", &tool.Question{Text: "May I?"})
	})
	_, err := call(t, asks, `{}`)
	if q := (*tool.Question)(nil); !errors.As(err, &q) || q.Text != "May I?" || q.Error() != "a person is asked: May I?" {
		t.Error(err)
	}
}

func TestNewPanicsForArgumentsThatAreNoStruct(t *testing.T) {
	for what, make := range map[string]func(){
		"a string":  func() { tool.New("t", "", func(context.Context, string) (string, error) { return "", nil }) },
		"a number":  func() { tool.New("t", "", func(context.Context, int) (string, error) { return "", nil }) },
		"a list":    func() { tool.New("t", "", func(context.Context, []int) (string, error) { return "", nil }) },
		"a pointer": func() { tool.New("t", "", func(context.Context, *order) (string, error) { return "", nil }) },
		"a channel": func() {
			tool.New("t", "", func(context.Context, struct{ C chan int }) (string, error) { return "", nil })
		},
		"an interface": func() { tool.New("t", "", func(context.Context, any) (string, error) { return "", nil }) },
	} {
		func() {
			defer func() {
				if p := recover(); p == nil || !strings.HasPrefix(fmt.Sprint(p), "tool t: ") {
					t.Errorf("%s: %v", what, p)
				}
			}()
			make()
		}()
	}
}

// A type that JSON Schema does not have is refused where the tool is made,
// wherever in the schema it stands. A field may be called type.
func TestCheckedRefusesUnknownTypes(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type": "objekt"}`: `the schema has the type "objekt", which there is not; did you mean "object"?`,
		`{"properties": {"a": {"items": {"anyOf": [{"type": ["string", "text"]}]}}}}`: `the schema has the type "text", which there is not; write one of null, boolean, object, array, number, string, integer`,
		`{"properties": {"type": {"const": "objekt"}}, "type": "object"}`:             "",
	} {
		_, err := tool.Checked(tool.Tool{Name: "t", Schema: schema})
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%s: %v, want %q", schema, err, want)
		}
	}
}

func ExampleNew() {
	type Order struct {
		ID int64 `json:"id" jsonschema:"the number on the receipt"`
	}
	type Risk struct {
		Level string  `json:"riskLevel"`
		Score float64 `json:"score"`
	}
	assess := tool.New("assess_risk", "Rate an order.", func(_ context.Context, o Order) (Risk, error) {
		return Risk{"high", 0.82}, nil
	})
	fmt.Println(assess.Schema)
	result, _ := assess.Call(context.Background(), `{"id": 17}`)
	fmt.Println(result.Text)
	_, err := assess.Call(context.Background(), `{"id": "17"}`)
	fmt.Println(err)
	// Output:
	// {"type":"object","properties":{"id":{"type":"integer","description":"the number on the receipt"}},"required":["id"],"additionalProperties":false}
	// {"riskLevel":"high","score":0.82}
	// the arguments are not what the tool takes: validating root: validating /properties/id: type: 17 has type "string", want "integer"
}
