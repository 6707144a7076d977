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

// ucpToolSteps send over MCP what an agent may send over REST as well: the operation's tool, with the same body.
func ucpToolSteps(sc book, w *world) {
	sc.Step(`^over (REST|MCP) an agent sends ([A-Z]+) (/\S+)(?: (.+))?$`, w.agentSendsOver)
}

// agentSendsOver leaves the same on the tape over both: over MCP, what the tool said is taken out of its message. The body of
// an error has the number of the message's error, too, as rpc.
func (w *world) agentSendsOver(over, method, path, body string) error {
	if over == "REST" {
		return w.agentSends("", method, path, body)
	}
	path, body = w.expand(path), w.expand(body)
	version, plain := ucpVersion(path)
	operation, known := ucpOperations[method+" "+withoutID(plain)]
	if !known {
		return fmt.Errorf("no operation is %s %s", method, plain)
	}
	message, err := toolMessage(operation, ucpAgents[version], plain, body)
	if err != nil {
		return err
	}
	door := strings.TrimSuffix(path, plain)
	r, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.app.URL()+"/p/"+w.shop.Slug+door+"/mcp", bytes.NewReader(message))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Transport: w.tape}).Do(r)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	said, refused, err := toolSaid(answer)
	if err != nil {
		return fmt.Errorf("%s: %w in %s", operation, err, answer)
	}
	w.tape.unwrap(said)
	if refused {
		return ucpjudge.TransportError(response.StatusCode, said)
	}
	if err := ucpjudge.New(version).House().Answer(operation, nil, said); err != nil {
		return fmt.Errorf("%s: %w in %s", operation, err, said)
	}
	return nil
}

// toolMessage is a call of an operation's tool by an agent.
func toolMessage(operation ucpjudge.Operation, agent, path, body string) ([]byte, error) {
	arguments := map[string]any{"meta": map[string]any{
		"ucp-agent":       map[string]any{"profile": agent},
		"idempotency-key": letters(32),
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

// toolSaid takes a tool's answer, or the data of its refusal, out of a message.
func toolSaid(message []byte) (said []byte, refused bool, err error) {
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
		said, err = json.Marshal(e.Data)
		return said, true, err
	}
	said, err = ucpjudge.StructuredContent(wrapped.Result)
	return said, false, err
}

// unwrap puts what was in the latest answer in its place.
func (t *tape) unwrap(body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers[len(t.answers)-1].body = body
}
