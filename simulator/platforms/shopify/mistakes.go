package shopify

import (
	"errors"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// atPath runs answer with name and index at the end of the path.
func (e *execution) atPath(name string, index int, answer func()) {
	before := e.path
	if e.path = append(slices.Clone(before), ast.PathName(name)); index >= 0 {
		e.path = append(e.path, ast.PathIndex(index))
	}
	answer()
	e.path = before
}

// recordError records an error at the current path. The data is still returned.
func (e *execution) recordError(name string, err error) {
	var made *gqlerror.Error
	if !errors.As(err, &made) {
		made = gqlerror.Errorf("%s", err.Error())
	}
	made.Path = append(slices.Clone(e.path), ast.PathName(name))
	if _, is := err.(errDenied); is {
		made.Extensions = map[string]any{"code": "ACCESS_DENIED"}
	}
	e.errors = append(e.errors, made)
}
