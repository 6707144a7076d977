package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/dunglas/httpsfv"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// These are the protocol's own error codes (UCP).
const (
	codeRefused     = -32000
	codeNegotiation = -32001 // of the capabilities
)

// rpcCodes maps the operation's error codes to those of JSON-RPC ("Error Codes" of UCP). All others follow from the status.
var rpcCodes = map[string]int64{
	"invalid_profile_url":   codeNegotiation,
	"profile_unreachable":   codeNegotiation,
	"profile_malformed":     codeNegotiation,
	"version_unsupported":   codeNegotiation,
	"digest_mismatch":       jsonrpc.CodeInvalidRequest,
	"algorithm_unsupported": jsonrpc.CodeInvalidRequest,
}

// caller calls the operation of a tool.
type caller struct {
	operations http.Handler
	tool       commerce.Tool
}

// errorData has the operation's error, and the HTTP status that mirrors it.
type errorData struct {
	Code       string `json:"code"`
	Content    string `json:"content"`
	Status     int    `json:"http_status"`
	RetryAfter int    `json:"retry_after,omitzero"`
}

func failure(rpc int64, status int, code, text string) error {
	return refusal(rpc, errorData{
		Code:    code,
		Content: text,
		Status:  status,
	}, text)
}

func refusal(rpc int64, d errorData, text string) error {
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return &jsonrpc.Error{
		Code:    rpc,
		Message: text,
		Data:    data,
	}
}

func invalid(text string) error {
	return failure(jsonrpc.CodeInvalidParams, http.StatusBadRequest, "invalid_request", text)
}

// meta is what an agent sends in addition to the arguments.
type meta struct {
	Agent *struct {
		Profile string `json:"profile"`
	} `json:"ucp-agent"`
	Key string `json:"idempotency-key"`
}

func (c caller) call(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	from, ok := ctx.Value(origin{}).(*carrier)
	if !ok {
		return nil, errors.New("mcp: a call without its HTTP request")
	}
	answer, err := c.do(ctx, from, call.Params.Arguments)
	if err != nil {
		return nil, err
	}
	return answer.result(), nil
}

func carried(ctx context.Context, by *carrier) context.Context {
	return commerce.Carried(ctx, by.Request, by.message)
}

// request builds the request for the tool's operation.
func (c caller) request(ctx context.Context, from *http.Request, arguments json.RawMessage) (*http.Request, error) {
	fields := map[string]json.RawMessage{}
	if len(arguments) > 0 && json.Unmarshal(arguments, &fields) != nil {
		return nil, invalid("params.arguments: must be an object.")
	}
	var said meta
	if given := fields["meta"]; given != nil && json.Unmarshal(given, &said) != nil {
		return nil, invalid("meta: must be an object with the text idempotency-key, and ucp-agent with the text profile.")
	}
	if c.tool.NeedsKey && said.Key == "" {
		return nil, invalid("meta.idempotency-key: is required.")
	}
	path, err := c.path(from.PathValue("slug"), fields["id"])
	if err != nil {
		return nil, err
	}
	body, err := c.body(fields)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, c.tool.Method, path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header, r.RemoteAddr, r.Host, r.TLS = passed(from.Header), from.RemoteAddr, from.Host, from.TLS
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	if said.Key != "" {
		r.Header.Set(wire.KeyHeader, said.Key)
	}
	return r, name(r, from.Header.Values(agentHeader), said)
}

// agentHeader names the agent of a request.
const agentHeader = "UCP-Agent"

// name sets the agent of the request: the one named in the message, or else the one in the header. A client that is not a
// platform names none.
func name(r *http.Request, header []string, said meta) error {
	if said.Agent == nil {
		if len(header) > 0 {
			r.Header[http.CanonicalHeaderKey(agentHeader)] = header
		}
		return nil
	}
	if said.Agent.Profile == "" { // an empty URL would mean no agent; the operation validates all others
		return failure(codeNegotiation, http.StatusBadRequest, "invalid_profile_url", "meta.ucp-agent.profile must be an https URL.")
	}
	dictionary := httpsfv.NewDictionary()
	dictionary.Add("profile", httpsfv.NewItem(said.Agent.Profile))
	text, err := httpsfv.Marshal(dictionary)
	if err != nil {
		return failure(codeNegotiation, http.StatusBadRequest, "invalid_profile_url", "meta.ucp-agent.profile must be an https URL.")
	}
	r.Header.Set(agentHeader, text)
	return nil
}

// passed lists the headers that are passed to the operation: those by which proxies name the client, and those of tracing.
func passed(from http.Header) http.Header {
	to := http.Header{}
	for name, values := range from {
		switch {
		case strings.HasPrefix(name, "X-"), name == "Forwarded", name == "Traceparent", name == "Tracestate", name == "User-Agent":
			to[name] = values
		}
	}
	return to
}

// plainID is the form of ids. Any other id is unknown.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

func (c caller) path(slug string, given json.RawMessage) (string, error) {
	path := strings.Replace(c.tool.Path, "{slug}", url.PathEscape(slug), 1)
	if !strings.Contains(path, "{id}") {
		return path, nil
	}
	var id string
	if json.Unmarshal(given, &id) != nil || id == "" {
		return "", invalid("id: is required, and must be text.")
	}
	if !plainID.MatchString(id) {
		id = "unknown"
	}
	return strings.Replace(path, "{id}", id, 1), nil
}

func (c caller) body(fields map[string]json.RawMessage) ([]byte, error) {
	if c.tool.NoBody {
		return nil, nil
	}
	if c.tool.Body != "" {
		body := fields[c.tool.Body]
		if body == nil {
			return nil, invalid(c.tool.Body + ": is required.")
		}
		return body, nil
	}
	delete(fields, "meta")
	delete(fields, "id")
	return json.Marshal(fields)
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *recorder) Header() http.Header { return a.header }

func (a *recorder) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *recorder) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (a *recorder) sendTo(w http.ResponseWriter) {
	a.WriteHeader(http.StatusOK)
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = a.body.WriteTo(w) // the client may have gone
}

// mirror sets the HTTP status of an answer to that of the error in it.
func (a *recorder) mirror() {
	var message struct {
		Error *struct {
			Code int64     `json:"code"`
			Data errorData `json:"data"`
		} `json:"error"`
	}
	if a.status != 0 && a.status != http.StatusOK || !bytes.Contains(a.body.Bytes(), []byte(`"error":`)) { // a quick check, because most answers are large and have no error
		return
	}
	if json.Unmarshal(a.body.Bytes(), &message) != nil || message.Error == nil {
		return
	}
	switch e := message.Error; {
	case e.Data.Status >= http.StatusBadRequest:
		a.status = e.Data.Status
	default:
		a.status = statusOf(e.Code)
	}
	if after := message.Error.Data.RetryAfter; after > 0 {
		a.header.Set("Retry-After", strconv.Itoa(after))
	}
}

func (a *recorder) content() []byte { return bytes.TrimSpace(a.body.Bytes()) }

func (a *recorder) replayed() bool { return a.header.Get(wire.ReplayedHeader) != "" }

// result returns the tool's result. An answer of the business is a result, even a refusal.
func (a *recorder) result() *sdk.CallToolResult {
	body := a.content()
	result := &sdk.CallToolResult{
		StructuredContent: json.RawMessage(body),
		Content:           []sdk.Content{&sdk.TextContent{Text: string(body)}},
	}
	if a.replayed() {
		result.Meta = sdk.Meta{"idempotent_replayed": true}
	}
	return result
}

func (a *recorder) failure(body []byte) error {
	var said struct {
		Code    string `json:"code"`
		Content string `json:"content"`
	}
	if json.Unmarshal(body, &said) != nil || said.Content == "" {
		said.Content = http.StatusText(a.status)
	}
	after, _ := strconv.Atoi(a.header.Get("Retry-After"))
	data := errorData{
		Code:       said.Code,
		Content:    said.Content,
		Status:     a.status,
		RetryAfter: after,
	}
	if code, own := rpcCodes[said.Code]; own {
		return refusal(code, data, said.Content)
	}
	switch a.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return refusal(jsonrpc.CodeInvalidParams, data, said.Content)
	case http.StatusInternalServerError:
		data.Content = "Internal error."
		return refusal(jsonrpc.CodeInternalError, data, data.Content)
	}
	return refusal(codeRefused, data, said.Content)
}
