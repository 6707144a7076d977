package mcp

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// store serves the endpoint of a shop with one tool.
func store(change func(*Config)) http.Handler {
	c := Config{
		Version: "1",
		Tools: []commerce.Tool{
			{Name: "start", Method: "POST", Path: "/p/{slug}/negotiations", Schema: map[string]any{"type": "object"}},
			{Name: "busy", Method: "POST", Path: "/p/{slug}/busy", Schema: map[string]any{"type": "object"}},
		},
		Operations: http.HandlerFunc(shopOperations),
		Admit:      func(*http.Request) error { return nil },
		Vouch:      func(http.ResponseWriter, *http.Request, []byte) error { return nil },
		Ours:       func(string) bool { return true },
		Log:        slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	change(&c)
	mux := http.NewServeMux()
	mux.Handle("/p/{slug}/mcp", Handler(c))
	return mux
}

func says(h http.Handler, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://shop.example/p/demo/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// meta20260728 identifies the sender of a message in the latest version of the protocol.
const meta20260728 = `"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
  "io.modelcontextprotocol/clientCapabilities": {}}`

// Every answer has the id of its message byte for byte, whether it is a result or an error, and whether the SDK or the endpoint
// made it.
func TestHandler_messageID(t *testing.T) {
	t.Parallel()
	h := store(func(*Config) {})
	denied := store(func(c *Config) {
		c.Admit = func(*http.Request) error { return fault.New(fault.NotFound, "project_not_found", "No such project.") }
	})
	distrusted := store(func(c *Config) {
		c.Vouch = func(http.ResponseWriter, *http.Request, []byte) error {
			return fault.New(fault.Unauthenticated, "agent_key_invalid", "The key is none.")
		}
	})
	for _, id := range []string{
		`1`, `0`, `-0`, `-7`, `9007199254740993`, `12345678901234567890`, `-0.5`, `1.50`, `1e2`, `1E+2`, `1` + strings.Repeat("0", 400),
		`""`, `"abc"`, `"\u00e9\/"`, `"\ud83c\udfd5<b>&"`, `"1"`,
	} {
		message := func(rest string) string { return `{"jsonrpc": "2.0", "id": ` + id + `, ` + rest + `}` }
		for about, answer := range map[string]*httptest.ResponseRecorder{
			"a ping":              says(h, message(`"method": "ping"`)),
			"a call":              says(h, message(`"method": "tools/call", "params": {"name": "start", "arguments": {}}`)),
			"a call by the SDK":   says(h, message(`"method": "tools/call", "params": {"name": "start", "arguments": {}, "task": {}}`)),
			"a refused call":      says(h, message(`"method": "tools/call", "params": {"name": "busy", "arguments": {}}`)),
			"an unknown tool":     says(h, message(`"method": "tools/call", "params": {"name": "none", "arguments": {}}`)),
			"an unknown method":   says(h, message(`"method": "tools/sell"`)),
			"no method":           says(h, message(`"params": {}`)),
			"another version":     says(h, `{"id": `+id+`, "jsonrpc": "1.0", "method": "ping"}`),
			"too deep":            says(h, message(`"method": "ping", "params": `+strings.Repeat(`{"a":`, 40)+`1`+strings.Repeat(`}`, 40))),
			"a call too deep":     says(h, message(`"method": "tools/call", "params": {"name": "start", "arguments": `+strings.Repeat(`{"a":`, 40)+`1`+strings.Repeat(`}`, 41))),
			"an unknown protocol": says(h, message(`"method": "ping"`), "MCP-Protocol-Version", "1999-01-01"),
			"missing _meta":       says(h, message(`"method": "tools/list"`), "MCP-Protocol-Version", "2026-07-28"),
			"another type":        says(h, message(`"method": "ping"`), "Content-Type", "text/plain"),
			"another origin":      says(h, message(`"method": "ping"`), "Origin", "https://evil.example"),
			"an unknown shop":     says(denied, message(`"method": "ping"`)),
			"a wrong key":         says(distrusted, message(`"method": "ping"`)),
		} {
			var got struct {
				ID json.RawMessage `json:"id"`
			}
			if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || string(got.ID) != id {
				t.Errorf("%s, %.40s: %.40s, %v in %d %.300s", about, id, got.ID, err, answer.Code, answer.Body)
			}
		}
	}
}

// goWords matches words of the SDK's texts that ours must not have.
var goWords = regexp.MustCompile(`mcp\.|jsonrpc2|Go |unmarshal|json:|interface|struct|float64|params"|handling|\bnil\b|payload`)

// The refusal of a message names the wrong member, and its HTTP status mirrors the error code.
func TestHandler_refusals(t *testing.T) {
	t.Parallel()
	h := store(func(*Config) {})
	call := func(params string) string {
		return `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ` + params + `}`
	}
	ask := func(method, params string) string {
		return `{"jsonrpc": "2.0", "id": 1, "method": "` + method + `", "params": ` + params + `}`
	}
	for body, want := range map[string]struct {
		status int
		code   int64
		text   string
	}{
		`{`:                           {400, -32700, "not JSON"},
		`[]`:                          {400, -32600, "one message"},
		`"text"`:                      {400, -32600, "must be an object"},
		`{"id": 1, "method": "ping"}`: {400, -32600, "jsonrpc: "},
		`{"jsonrpc": 2, "id": 1, "method": "ping"}`:                                           {400, -32600, "jsonrpc: "},
		`{"jsonrpc": "2.0", "id": true, "method": "ping"}`:                                    {400, -32600, "id: "},
		`{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}`:                                {400, -32600, "id: "},
		`{"jsonrpc": "2.0", "id": [1], "method": "ping"}`:                                     {400, -32600, "id: "},
		`{"jsonrpc": "2.0", "id": null, "method": "ping"}`:                                    {400, -32600, "id: is required"},
		`{"jsonrpc": "2.0", "method": "ping"}`:                                                {400, -32600, "id: is required"},
		`{"jsonrpc": "2.0", "id": 1, "method": 5}`:                                            {400, -32600, "method: "},
		`{"jsonrpc": "2.0", "id": 1, "method": null}`:                                         {400, -32600, "method: "},
		ask("notifications/initialized", "{}"):                                                {400, -32600, "id: "},
		ask("", "{}"):                                                                         {404, -32601, "no such method"},
		ask("tools/List", "{}"):                                                               {404, -32601, "no such method"},
		ask("resources/list", "{}"):                                                           {404, -32601, "no such method"},
		ask("resources/templates/list", "{}"):                                                 {404, -32601, "no such method"},
		ask("resources/read", `{"uri": "file:///etc/passwd"}`):                                {404, -32601, "no such method"},
		ask("resources/subscribe", `{"uri": "x"}`):                                            {404, -32601, "no such method"},
		ask("subscriptions/listen", "{}"):                                                     {404, -32601, "no such method"},
		ask("prompts/list", "{}"):                                                             {404, -32601, "no such method"},
		ask("prompts/get", `{"name": "x"}`):                                                   {404, -32601, "no such method"},
		ask("logging/setLevel", `{"level": "debug"}`):                                         {404, -32601, "no such method"},
		ask("completion/complete", "{}"):                                                      {404, -32601, "no such method"},
		ask("server/discover", "{}"):                                                          {404, -32601, "no such method"},
		ask("ping", "[]"):                                                                     {400, -32602, "params: "},
		ask("tools/list", `{"cursor": 5}`):                                                    {400, -32602, "params.cursor: "},
		ask("tools/list", `{"cursor": "AAAA"}`):                                               {400, -32602, "params.cursor: "},
		ask("tools/list", `{"_meta": 5}`):                                                     {400, -32602, "params._meta: "},
		ask("initialize", `5`):                                                                {400, -32602, "params: "},
		ask("initialize", `{}`):                                                               {400, -32602, "params.protocolVersion: "},
		ask("initialize", `{"protocolVersion": 5}`):                                           {400, -32602, "params.protocolVersion: "},
		ask("initialize", `{"protocolVersion": "2025-11-25", "capabilities": 5}`):             {400, -32602, "params.capabilities: "},
		ask("initialize", `{"protocolVersion": "2025-11-25", "clientInfo": 5}`):               {400, -32602, "params.clientInfo: "},
		ask("initialize", `{"protocolVersion": "2025-11-25", "clientInfo": {"name": 5}}`):     {400, -32602, "params.clientInfo.name: "},
		ask("initialize", `{"protocolVersion": "2025-11-25", "clientInfo": {"version": {}}}`): {400, -32602, "params.clientInfo.version: "},
		ask("initialize", `{"protocolVersion": "2025-11-25", "capabilities": {"roots": 5}}`):  {400, -32602, "params: "},
		call(`{"name": "start", "arguments": ` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 41)): {400, -32600, "32 levels"},
		call(`null`):             {400, -32602, "params: "},
		call(`[]`):               {400, -32602, "params: "},
		call(`{}`):               {400, -32602, "params.name: "},
		call(`{"name": 5}`):      {400, -32602, "params.name: "},
		call(`{"name": "none"}`): {400, -32602, "params.name: "},
		call(`{"name": "start", "arguments": []}`):           {400, -32602, "params.arguments: "},
		call(`{"name": "start", "arguments": "{}"}`):         {400, -32602, "params.arguments: "},
		call(`{"name": "start", "_meta": []}`):               {400, -32602, "params._meta: "},
		call(`{"name": "start", "arguments": {"meta": []}}`): {400, -32602, "meta: "},
	} {
		var got struct {
			Error struct {
				Code    int64  `json:"code"`
				Message string `json:"message"`
			} `json:"error"`
		}
		w := says(h, body)
		err := json.Unmarshal(w.Body.Bytes(), &got)
		if err != nil || w.Code != want.status || got.Error.Code != want.code || !strings.Contains(got.Error.Message, want.text) || goWords.MatchString(got.Error.Message) {
			t.Errorf("%s: %v, %d %s", body, err, w.Code, w.Body)
		}
	}
	for header, want := range map[string]string{
		"MCP-Protocol-Version 1999-01-01": "MCP-Protocol-Version: ",
		"MCP-Protocol-Version 2026-07-28": "_meta",
		"MCP-Protocol-Version 2099-01-01": "_meta",
		"Content-Type text/plain":         "Content-Type: ",
		"Last-Event-ID 5":                 "Last-Event-ID: ",
	} {
		name, value, _ := strings.Cut(header, " ")
		w := says(h, ask("tools/list", "{}"), name, value)
		if w.Code < 400 || !strings.Contains(w.Body.String(), want) || goWords.MatchString(w.Body.String()) {
			t.Errorf("%s: %d %s", header, w.Code, w.Body)
		}
	}
	mismatch := says(h, ask("tools/list", `{`+meta20260728+`}`), "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call")
	if mismatch.Code != 400 || !strings.Contains(mismatch.Body.String(), "Mcp-Method") || goWords.MatchString(mismatch.Body.String()) {
		t.Errorf("%d %s", mismatch.Code, mismatch.Body)
	}
}

// A notification gets no answer, and messages of the latest protocol version are served.
func TestHandler_otherMessages(t *testing.T) {
	t.Parallel()
	h := store(func(*Config) {})
	if w := says(h, `{"jsonrpc": "2.0", "method": "notifications/initialized"}`); w.Code != http.StatusAccepted || w.Body.Len() > 0 {
		t.Errorf("a notification: %d %s", w.Code, w.Body)
	}
	for _, method := range []string{"server/discover", "tools/list"} {
		body := `{"jsonrpc": "2.0", "id": 9007199254740993, "method": "` + method + `", "params": {` + meta20260728 + `}}`
		w := says(h, body, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method)
		if w.Code != 200 || !strings.HasPrefix(w.Body.String(), `{"jsonrpc":"2.0","id":9007199254740993,"result":{`) {
			t.Errorf("%s: %d %.300s", method, w.Code, w.Body)
		}
	}
}
