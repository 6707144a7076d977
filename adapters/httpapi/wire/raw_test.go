package wire_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// A step sees the body as it was sent, and so do the steps and the handler after it.
func TestEntry_Body(t *testing.T) {
	t.Parallel()
	const limit = 16
	op := &huma.Operation{MaxBodyBytes: limit, RequestBody: &huma.RequestBody{}}
	entry := func(op *huma.Operation, body io.Reader) *wire.Entry[nobody] {
		return &wire.Entry[nobody]{Request: httptest.NewRequest(http.MethodPost, "/", body), Operation: op}
	}
	for name, test := range map[string]struct {
		op    *huma.Operation
		sent  string
		want  string
		whole bool
	}{
		"a body":        {op, `{"a": 1}`, `{"a": 1}`, true},
		"none":          {op, "", "", true},
		"too large":     {op, strings.Repeat("x", limit+9), strings.Repeat("x", limit+9), false},
		"not taken":     {&huma.Operation{MaxBodyBytes: limit}, "ignored", "", true},
		"just not less": {op, strings.Repeat("x", limit), "", false},
	} {
		e := entry(test.op, strings.NewReader(test.sent))
		got, whole, err := e.Body()
		rest, readErr := io.ReadAll(e.Request.Body)
		if err != nil || readErr != nil || whole != test.whole || whole && string(got) != test.want || string(rest) != test.sent {
			t.Errorf("%s: %q, %t, %v; then %q, %v", name, got, whole, err, rest, readErr)
		}
	}
	for sent, whole := range map[string]bool{`{"signed": true}`: true, strings.Repeat("x", 5<<10): false} {
		e := entry(&huma.Operation{}, strings.NewReader(sent)) // which takes none
		got, all, err := e.Sent()
		rest, readErr := io.ReadAll(e.Request.Body)
		if err != nil || readErr != nil || all != whole || whole && string(got) != sent || string(rest) != sent {
			t.Errorf("%q, %t, %v; then %q, %v", got, all, err, rest, readErr)
		}
	}
	_, _, err := entry(op, iotest.ErrReader(errors.New("gone"))).Body()
	if !fault.Is(err, "invalid_request") {
		t.Errorf("got %v", err)
	}
}
