package ucp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// protocolVersion is the MCP version that the client requests.
const protocolVersion = "2025-06-18"

// payload returns the name of the argument for an operation's body. It is empty for negotiations, whose bodies are the
// arguments themselves.
func payload(operation judge.Operation) string {
	name := string(operation)
	switch {
	case strings.HasSuffix(name, "_cart"):
		return "cart"
	case strings.HasSuffix(name, "_checkout"):
		return "checkout"
	case operation == judge.SearchCatalog, operation == judge.LookupCatalog, operation == judge.GetProduct:
		return "catalog"
	}
	return ""
}

// arguments returns the tool's arguments: meta, the resource's id and the body.
func (c *Client) arguments(o outgoing) (map[string]any, error) {
	arguments := map[string]any{}
	if name := payload(o.operation); name != "" && o.body != nil {
		arguments[name] = bodyWithoutID(o.body)
	} else if o.body != nil {
		if err := json.Unmarshal(o.body, &arguments); err != nil {
			return nil, err
		}
	}
	if o.id != "" {
		arguments["id"] = o.id
	}
	meta := map[string]any{}
	if c.config.Agent != "none" {
		meta["ucp-agent"] = map[string]any{"profile": c.config.Agent}
	}
	if o.key != "" {
		meta["idempotency-key"] = o.key
	}
	if len(meta) > 0 {
		arguments["meta"] = meta
	}
	return arguments, nil
}

// bodyWithoutID removes the id from a body, because over MCP the id is an argument of its own.
func bodyWithoutID(body json.RawMessage) any {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members["id"] == nil || members["line_items"] == nil {
		return body
	}
	delete(members, "id")
	return members
}

// callTool sends an operation as a call of the MCP tool with the same name.
func (c *Client) callTool(ctx context.Context, o outgoing) ([]byte, exchange.Response, error) {
	arguments, err := c.arguments(o)
	if err != nil {
		return nil, exchange.Response{}, err
	}
	if o.key != "" && c.config.Key != nil {
		o.header.Set("Idempotency-Key", o.key)
	}
	result, raw, err := c.rpc(ctx, "tools/call", map[string]any{"name": string(o.operation), "arguments": arguments}, o.header)
	if err != nil {
		return nil, raw, err
	}
	answer, wrong := judge.StructuredContent(result)
	c.report(o.operation, raw, wrong)
	if answer == nil {
		return nil, raw, fmt.Errorf("%s: %w", o.operation, wrong)
	}
	return answer, raw, nil
}

// Tool is an entry of tools/list.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// Tools lists the tools of the shop.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	result, _, err := c.rpc(ctx, "tools/list", map[string]any{}, http.Header{})
	if err != nil {
		return nil, err
	}
	var listed struct {
		Tools []Tool `json:"tools"`
	}
	err = json.Unmarshal(result, &listed)
	return listed.Tools, err
}

// Initialize initializes an MCP session. Calls work without one.
func (c *Client) Initialize(ctx context.Context) error {
	_, _, err := c.rpc(ctx, "initialize", map[string]any{
		"protocolVersion": protocolVersion,
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "haggle-sim", "version": "1"},
	}, http.Header{})
	return err
}

// rpc sends one JSON-RPC request over streamable HTTP and returns its result. An error from the server is an *Error.
func (c *Client) rpc(ctx context.Context, method string, params any, header http.Header) (json.RawMessage, exchange.Response, error) {
	id := c.calls.Add(1)
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return nil, exchange.Response{}, err
	}
	sent := http.Header{"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {protocolVersion}}
	maps.Copy(sent, header)
	raw, err := c.send(ctx, http.MethodPost, c.endpoint, sent, body)
	if err != nil {
		return nil, raw, err
	}
	var answer struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Data    struct {
				Code       string `json:"code"`
				Content    string `json:"content"`
				RetryAfter int    `json:"retry_after"`
			} `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(eventData(raw), &answer); err != nil {
		if raw.Status != http.StatusOK {
			return nil, raw, transportError(raw)
		}
		return nil, raw, fmt.Errorf("%s: no JSON-RPC: %.200q", method, raw.Body)
	}
	c.reportRPC(method, raw, answer.JSONRPC == "2.0", "the answer is no JSON-RPC 2.0")
	if problem := answer.Error; problem != nil {
		c.reportRPC(method, raw, problem.Data.RetryAfter == 0 || raw.Status == http.StatusTooManyRequests || raw.Status == http.StatusServiceUnavailable ||
			raw.Status == http.StatusConflict, fmt.Sprintf("retry_after comes with status %d", raw.Status))
		code, content := problem.Data.Code, problem.Data.Content
		if content == "" {
			content = problem.Message
		}
		return nil, raw, &Error{
			HTTPStatus: raw.Status,
			RPC:        problem.Code,
			Code:       code,
			Content:    content,
			RetryAfter: time.Duration(problem.Data.RetryAfter) * time.Second,
		}
	}
	c.reportRPC(method, raw, string(answer.ID) == fmt.Sprint(id), fmt.Sprintf("request %d was answered as %s", id, answer.ID))
	c.reportRPC(method, raw, answer.Result != nil, "there is neither a result nor an error")
	return answer.Result, raw, nil
}

func (c *Client) reportRPC(method string, raw exchange.Response, kept bool, reason string) {
	if !kept {
		c.config.Connection.Report(exchange.Request{Method: "MCP", Path: "/" + method}, raw, reason)
	}
}

// eventData returns the body, or the data of the last event if the body is an event stream.
func eventData(raw exchange.Response) []byte {
	if !strings.HasPrefix(raw.Header.Get("Content-Type"), "text/event-stream") {
		return raw.Body
	}
	var data []byte
	for line := range bytes.Lines(raw.Body) {
		if rest, isData := bytes.CutPrefix(line, []byte("data:")); isData {
			data = rest
		}
	}
	return bytes.TrimSpace(data)
}
