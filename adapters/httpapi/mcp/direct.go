package mcp

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// callMessage is a message that calls a tool.
type callMessage struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
		Meta      jsontext.Value `json:"_meta"`
	} `json:"params"`
}

// settledVersions are the protocol versions in which a tool call consists of name and arguments, and its answer of a result.
// Later versions use more headers and members of _meta.
var settledVersions = map[string]bool{
	"":           true,
	"2024-11-05": true,
	"2025-03-26": true,
	"2025-06-18": true,
	"2025-11-25": true,
}

// direct parses a plain call of a tool, and reports whether it is one. For such a call the SDK would only open and close a session
// and copy the answer three more times, which takes more CPU than many tools use themselves. direct leaves all unusual messages
// to the SDK.
func direct(r *http.Request, body []byte, tools map[string]caller) (callMessage, caller, bool) {
	var m callMessage
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" || !settledVersions[r.Header.Get("Mcp-Protocol-Version")] {
		return m, caller{}, false
	}
	for _, unusual := range []string{"Mcp-Method", "Mcp-Name", "Last-Event-Id"} {
		if len(r.Header.Values(unusual)) > 0 {
			return m, caller{}, false
		}
	}
	if json.Unmarshal(body, &m, json.RejectUnknownMembers(true)) != nil || m.Version != "2.0" || m.Method != callsTool || !isOneOf(m.ID, `"0`) {
		return m, caller{}, false
	}
	p := m.Params
	tool, found := tools[p.Name]
	plain := kindOr(p.Arguments, '{') && kindOr(p.Meta, '{') &&
		!bytes.Contains(p.Meta, []byte("modelcontextprotocol")) && !bytes.Contains(p.Meta, []byte(`\`))
	return m, tool, found && plain
}

// kindOr reports whether a value is of a kind or missing.
func kindOr(v jsontext.Value, kind jsontext.Kind) bool { return len(v) == 0 || v.Kind() == kind }

// serveDirect calls a tool and answers with its result or error.
func serveDirect(w http.ResponseWriter, r *http.Request, body []byte, m callMessage, tool caller) {
	result, err := tool.do(r.Context(), &carrier{r, body}, []byte(m.Params.Arguments))
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		writeFailure(w, m.ID, err)
		return
	}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(result.message(m.ID)) // the client may have gone
}

// do runs the operation of the tool for the HTTP request that carries the call.
func (c caller) do(ctx context.Context, from *carrier, arguments []byte) (*recorder, error) {
	r, err := c.request(carried(ctx, from), from.Request, arguments)
	if err != nil {
		return nil, err
	}
	answer := &recorder{header: http.Header{}}
	c.operations.ServeHTTP(answer, r)
	if answer.status >= http.StatusMultipleChoices {
		return nil, answer.failure(answer.content())
	}
	return answer, nil
}

// message returns the answer as the result of a call: as JSON, and as text with the same JSON.
func (a *recorder) message(id jsontext.Value) []byte {
	body := a.content()
	out := make([]byte, 0, 2*len(body)+len(body)/4+len(id)+200)
	out = append(append(out, `{"jsonrpc":"2.0","id":`...), id...)
	out = append(out, `,"result":{`...)
	if a.replayed() {
		out = append(out, `"_meta":{"idempotent_replayed":true},`...)
	}
	out = append(out, `"content":[{"type":"text","text":`...)
	out, _ = jsontext.AppendQuote(out, body) // all of it is UTF-8: our own encoder wrote it
	out = append(append(out, `}],"structuredContent":`...), body...)
	return append(out, "}}"...)
}

// writeFailure answers with an error and its HTTP status.
func writeFailure(w http.ResponseWriter, id jsontext.Value, err error) {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error."}
	}
	answer := &recorder{header: w.Header()}
	answer.body.Write(envelopeOf(id, "error", errorText(e)))
	answer.mirror()
	answer.sendTo(w)
}
