package mcp

import (
	"context"
	"errors"

	"github.com/spoorhq/spoor/tool"
)

// judgeOf returns what compares results with their schema: a tool that takes
// them as its arguments, so that there is one validator for both.
func judgeOf(schema string) (func(result string) error, error) {
	t, err := tool.Checked(tool.Tool{Schema: schema, Call: func(context.Context, string) (tool.Result, error) {
		return tool.Result{}, nil
	}})
	return func(result string) error {
		_, err := t.Call(context.Background(), result)
		if wrong, ok := errors.AsType[*tool.ArgumentError](err); ok {
			return wrong.Err
		}
		return err
	}, err
}
