package wire_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Finish is called once for each answer that is sent: a first answer, a repeated one, and a refusal. It is not called for an
// aborted one.
func TestFinish(t *testing.T) {
	t.Parallel()
	j := &recordingStore{}
	var fails error
	send := j.serve(func(m *wire.Mount[nobody, int]) {
		op := wire.Operation{Operation: huma.Operation{
			OperationID: "finished",
			Method:      "POST",
			Path:        "/v1/thing",
		}}
		op.Finish = func(r *http.Request, status int, header http.Header, body []byte) {
			j.write("finish %s %d %s", r.Method, status, strings.TrimSpace(string(body)))
			header.Set("X-Finished", header.Get("Content-Type"))
		}
		wire.AddPhased(m, op, func(_ ports.Outbound, rq wire.Request[nobody, int], _ *struct{}) (*struct{ Body string }, error) {
			if fails == nil {
				return &struct{ Body string }{"done"}, nil
			}
			if fails == context.Canceled {
				panic("broken")
			}
			return nil, fails
		})
	})
	for _, test := range []struct {
		key      string
		fails    error
		status   int
		finished string
		did      string
	}{
		{"", nil, 200, "application/json", `finish POST 200 "done"`},
		{"one", nil, 200, "application/json", `claim|keep 200|finish POST 200 "done"`},
		{"one", nil, 200, "application/json", `finish POST 200 "done"`},
		{"", fault.New(fault.Conflict, "no", "No."), 409, "application/json", "finish POST 409"},
		{"", context.Canceled, 500, "", ""},
	} {
		j.did, fails = nil, test.fails
		got := send(test.key)
		if got.Code != test.status || !strings.HasPrefix(got.Header().Get("X-Finished"), test.finished) {
			t.Errorf("%+v: %d %v", test, got.Code, got.Header())
		}
		if did := strings.Join(j.did, "|"); !strings.HasPrefix(did, test.did) || strings.Count(did, "finish") != strings.Count(test.did, "finish") {
			t.Errorf("%+v: %s", test, did)
		}
	}
}
