package features

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	ucpjudge "github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// agentSendsOver records the same answer for REST and MCP: for MCP it replaces the recorded message by the tool's content. The
// body of an error also has the JSON-RPC error code, as rpc.
func (c *ucpContext) agentSendsOver(over, method, path, body string) error {
	if over == "REST" {
		return c.agentSends("", method, path, body)
	}
	path, body = c.expand(path), c.expand(body)
	version, plain := ucpVersion(path)
	operation, known := ucpOperations[method+" "+withoutID(plain)]
	if !known {
		return fmt.Errorf("no operation is %s %s", method, plain)
	}
	message, err := toolMessage(operation, ucpAgents[version], plain, body)
	if err != nil {
		return err
	}
	prefix := strings.TrimSuffix(path, plain)
	r, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.app.URL()+"/p/"+c.shop.Slug+prefix+"/mcp", bytes.NewReader(message))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Transport: c.recorder}).Do(r)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	content, refused, err := toolContent(answer)
	if err != nil {
		return fmt.Errorf("%s: %w in %s", operation, err, answer)
	}
	c.recorder.replaceLastBody(content)
	if refused {
		return ucpjudge.TransportError(response.StatusCode, content)
	}
	if err := ucpjudge.New(version).House().Answer(operation, nil, content); err != nil {
		return fmt.Errorf("%s: %w in %s", operation, err, content)
	}
	return nil
}

// toolMessage returns the MCP message by which an agent calls an operation's tool.
func toolMessage(operation ucpjudge.Operation, agent, path, body string) ([]byte, error) {
	arguments := map[string]any{"meta": map[string]any{
		"ucp-agent":       map[string]any{"profile": agent},
		"idempotency-key": randomLetters(32),
	}}
	kind := strings.Split(path, "/")[2]
	if parts := strings.Split(path, "/"); kind != "catalog" && len(parts) > 3 {
		arguments["id"] = parts[3]
	}
	if body != "" {
		argument := map[string]string{"catalog": "catalog", "carts": "cart", "checkout-sessions": "checkout"}[kind]
		arguments[argument] = json.RawMessage(body)
	}
	return json.Marshal(map[string]any{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  "tools/call",
		"params":  map[string]any{"name": operation, "arguments": arguments},
	})
}

// toolContent returns a tool's structured content, or the data of its error, from an MCP message.
func toolContent(message []byte) (content []byte, refused bool, err error) {
	var wrapped struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code int64          `json:"code"`
			Data map[string]any `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(message, &wrapped); err != nil {
		return nil, false, err
	}
	if e := wrapped.Error; e != nil {
		if e.Data == nil {
			e.Data = map[string]any{}
		}
		e.Data["rpc"] = e.Code
		content, err = json.Marshal(e.Data)
		return content, true, err
	}
	content, err = ucpjudge.StructuredContent(wrapped.Result)
	return content, false, err
}

// replaceLastBody replaces the body of the latest answer.
func (t *recorder) replaceLastBody(body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers[len(t.answers)-1].body = body
}
