package mcp

import (
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
)

// shopOperations answers like the operations of tools.
func shopOperations(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	answer := func(status int, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text+"\n")
	}
	switch r.URL.Path {
	case "/p/demo/replayed":
		w.Header().Set("Idempotent-Replayed", "true")
		answer(200, `{"key":"`+r.Header.Get("Idempotency-Key")+`"}`)
	case "/p/demo/busy":
		w.Header().Set("Retry-After", "3")
		answer(429, `{"code":"rate_limited","content":"Too many."}`)
	case "/p/demo/fails":
		answer(500, `{"code":"internal","content":"a secret"}`)
	case "/p/demo/refuses":
		answer(400, `{"code":"invalid_profile_url","content":"No <b>profile</b>."}`)
	default:
		answer(201, `{"path":"`+r.URL.Path+`","agent":`+string(quoted(r.Header.Get("UCP-Agent")))+`,"host":"`+r.Host+`","body":`+string(quoted(string(body)))+
			`,"text":"ä \u2028 <b>&amp; \"quoted\" \\ \ud83c\udfd5","n":12345678901234567}`)
	}
}

func quoted(text string) []byte {
	q, _ := json.Marshal(text)
	return q
}

// A plain call of a tool gets the answer that the SDK would give it: status, headers and JSON.
func TestDirect(t *testing.T) {
	t.Parallel()
	const meta = `"meta": {"ucp-agent": {"profile": "https://agent.example/p"}, "idempotency-key": "k-0123456789"}`
	call := func(id, name, arguments string) string {
		return `{"jsonrpc": "2.0", "id": ` + id + `, "method": "tools/call", "params": {"name": "` + name + `", "arguments": ` + arguments + `}}`
	}
	plain := map[string]string{
		"a body":             call("1", "make", `{"cart": {"b": [1, "ü"], "a": null}, `+meta+`}`),
		"no body":            call("-7", "read", `{"id": "chk_1"}`),
		"a fraction":         call("1.50", "start", `{}`),
		"an exponent":        call("1e2", "start", `{}`),
		"a large number":     call("99999999999999999999", "start", `{}`),
		"arguments as body":  call(`"a\"ü"`, "start", `{"item": {"id": "x"}, `+meta+`}`),
		"an odd id":          call("1", "read", `{"id": "../../v1"}`),
		"no id":              call("1", "read", `{}`),
		"no arguments":       `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "start"}}`,
		"of meta":            `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "start", "arguments": {}, "_meta": {"progressToken": 1}}}`,
		"a replay":           call("1", "replayed", `{`+meta+`}`),
		"without key":        call("1", "replayed", `{}`),
		"a wrong meta":       call("1", "start", `{"meta": []}`),
		"no URL":             call("1", "start", `{"meta": {"ucp-agent": {"profile": ""}}}`),
		"a rate":             call("1", "busy", `{}`),
		"a failure":          call("1", "fails", `{}`),
		"a refusal":          call("1", "refuses", `{}`),
		"without its body":   call("1", "make", `{}`),
		"a body that is not": call("1", "make", `{"cart": 1}`),
	}
	others := map[string]string{
		"an unknown tool":    call("1", "unknown", `{}`),
		"a list":             call("1", "start", `[]`),
		"id null":            call("null", "start", `{}`),
		"a notification":     `{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "start", "arguments": {}}}`,
		"another version":    `{"jsonrpc": "1.0", "id": 1, "method": "tools/call", "params": {"name": "start", "arguments": {}}}`,
		"another method":     `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`,
		"an unknown one":     `{"jsonrpc": "2.0", "id": 1, "method": "tools/calls", "params": {"name": "start"}}`,
		"a ping":             `{"jsonrpc": "2.0", "id": 1, "method": "ping"}`,
		"params of a task":   `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "start", "arguments": {}, "task": {}}}`,
		"a version in _meta": `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "start", "arguments": {}, "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}`,
		"another member":     `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "result": 1, "params": {"name": "start", "arguments": {}}}`,
	}
	tools := map[string]caller{}
	operations := http.HandlerFunc(shopOperations)
	server := sdk.NewServer(&sdk.Implementation{Name: "haggle", Version: "1"}, &sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}})
	for name, tool := range map[string]commerce.Tool{
		"make":     {Method: "PUT", Path: "/p/{slug}/carts", Body: "cart"},
		"read":     {Method: "GET", Path: "/p/{slug}/carts/{id}", NoBody: true},
		"start":    {Method: "POST", Path: "/p/{slug}/negotiations"},
		"replayed": {Method: "POST", Path: "/p/{slug}/replayed", NeedsKey: true},
		"busy":     {Method: "POST", Path: "/p/{slug}/busy"},
		"fails":    {Method: "POST", Path: "/p/{slug}/fails"},
		"refuses":  {Method: "POST", Path: "/p/{slug}/refuses"},
	} {
		tool.Name, tool.Schema = name, map[string]any{"type": "object"}
		tools[name] = caller{operations, tool}
		server.AddTool(toSDK(tool), tools[name].call)
	}
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless:                  true,
		JSONResponse:               true,
		Logger:                     slog.New(slog.DiscardHandler),
		DisableLocalhostProtection: true,
	})
	headers := map[string]http.Header{
		"":                 {},
		"2025-06-18":       {"Mcp-Protocol-Version": {"2025-06-18"}},
		"2025-11-25":       {"Mcp-Protocol-Version": {"2025-11-25"}},
		"2026-07-28":       {"Mcp-Protocol-Version": {"2026-07-28"}},
		"1999-01-01":       {"Mcp-Protocol-Version": {"1999-01-01"}},
		"another type":     {"Content-Type": {"text/plain"}},
		"no type":          {"Content-Type": nil},
		"with a charset":   {"Content-Type": {"application/json; charset=utf-8"}},
		"a header's agent": {"Ucp-Agent": {`profile="https://header.example/p"`}},
		"the method":       {"Mcp-Method": {"tools/list"}},
	}
	request := func(body string, header http.Header) *http.Request {
		r := httptest.NewRequest("POST", "http://shop.example/p/demo/mcp", strings.NewReader(body))
		r.SetPathValue("slug", "demo")
		r.Header = http.Header{"Content-Type": {"application/json"}}
		maps.Copy(r.Header, header)
		return r
	}
	for of, messages := range map[bool]map[string]string{true: plain, false: others} {
		for name, body := range messages {
			for about, header := range headers {
				_, _, ok := direct(request(body, header), []byte(body), tools)
				settled := about == "" || strings.HasPrefix(about, "2025-") || about == "with a charset" || about == "a header's agent"
				if ok != (of && settled) {
					t.Errorf("%s, %s: direct is %t", name, about, ok)
				}
				got, want := httptest.NewRecorder(), httptest.NewRecorder()
				for w, settled := range map[*httptest.ResponseRecorder]bool{got: true, want: false} {
					e := &endpoint{
						inner:   inner,
						tools:   tools,
						settled: settled,
						ours:    func(string) bool { return true },
						vouch:   func(http.ResponseWriter, *http.Request, []byte) error { return nil },
					}
					e.serve(w, request(body, header))
				}
				if got.Code != want.Code || !reflect.DeepEqual(got.Header(), want.Header()) || !sameJSON(got.Body.Bytes(), want.Body.Bytes()) {
					t.Errorf("%s, %s: %d %v %s\nwant %d %v %s", name, about, got.Code, got.Header(), got.Body, want.Code, want.Header(), want.Body)
				}
			}
		}
	}
}

func sameJSON(a, b []byte) bool {
	read := func(text []byte) (v any) {
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		if d.Decode(&v) != nil {
			return string(text)
		}
		return v
	}
	return reflect.DeepEqual(read(a), read(b))
}
