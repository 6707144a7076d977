package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// inside is the id under which messages are passed to the SDK, because the SDK limits the size of numeric ids. Its answers are
// sent under the message's own id.
const inside = "1"

// renumbered returns a message with the id inside, which the SDK repeats exactly. Notifications have no id.
func (m *envelope) renumbered(body []byte) []byte {
	if len(m.ID) == 0 {
		return body
	}
	sent := []byte(`{"id":` + inside)
	for _, member := range []struct {
		name  string
		value jsontext.Value
	}{{"jsonrpc", m.Version}, {"method", m.Method}, {"params", m.Params}, {"result", m.Result}, {"error", m.Error}} {
		if len(member.value) > 0 {
			sent = append(append(sent, `,"`+member.name+`":`...), member.value...)
		}
	}
	return append(sent, '}')
}

// answerTo returns the SDK's answer to a message, under the id of the message. It replaces the texts of the SDK's own errors,
// which name Go types.
func (a *recorder) answerTo(m envelope) {
	var said struct {
		Result jsontext.Value `json:"result"`
		Error  *jsonrpc.Error `json:"error"`
	}
	if a.body.Len() == 0 || json.Unmarshal(a.body.Bytes(), &said) != nil {
		return
	}
	if said.Error == nil {
		a.put(envelopeOf(m.known(), "result", said.Result))
		return
	}
	var ours errorData
	if json.Unmarshal(said.Error.Data, &ours) != nil || ours.Status == 0 {
		said.Error.Code, said.Error.Message = wordsFor(m.method, said.Error.Code)
	}
	a.put(envelopeOf(m.known(), "error", errorText(said.Error)))
}

func (a *recorder) put(text []byte) {
	a.body.Reset()
	a.body.Write(text)
	a.header.Del("Content-Length")
}

// wordsFor returns our code and text for an error code of the SDK.
func wordsFor(method string, code int64) (int64, string) {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return code, "This version of the protocol has no such method."
	case codeHeaders:
		return code, "The headers MCP-Protocol-Version, Mcp-Method and Mcp-Name must match the message."
	case codeVersion:
		return code, "MCP-Protocol-Version: is not a supported version."
	case jsonrpc.CodeInternalError:
		return code, "Internal error."
	case jsonrpc.CodeInvalidRequest:
		return code, "The message is not valid for " + method + "."
	}
	return jsonrpc.CodeInvalidParams, "params: are not valid for " + method + ", or lack the members of _meta that this version of the protocol requires."
}

// The codes of errors of MCP itself.
const (
	codeHeaders = -32020
	codeVersion = -32022
)

// envelopeOf returns a message with an id and one other member.
func envelopeOf(id jsontext.Value, member string, value []byte) []byte {
	out := make([]byte, 0, len(id)+len(value)+60)
	out = append(append(out, `{"jsonrpc":"2.0","id":`...), id...)
	out = append(append(out, `,"`+member+`":`...), value...)
	return append(out, '}')
}

// errorText encodes an error as JSON. An error that cannot be encoded becomes an internal error.
func errorText(e *jsonrpc.Error) []byte {
	text, err := jsonv2.Marshal(e, jsonv2.Deterministic(true))
	if err != nil {
		return []byte(`{"code":-32603,"message":"Internal error."}`)
	}
	return text
}

// spellOut answers with a JSON-RPC error what the SDK refused in plain text.
func (a *recorder) spellOut(w http.ResponseWriter, m envelope) {
	text := "The request is not a valid MCP request over HTTP."
	switch said := a.body.String(); {
	case a.status == http.StatusUnsupportedMediaType:
		text = "Content-Type: must be application/json."
	case strings.Contains(said, "protocol version"):
		text = "MCP-Protocol-Version: is not a supported version."
	case strings.Contains(said, "Last-Event-ID"):
		text = "Last-Event-ID: must not be sent with a POST."
	}
	refuse(w, m.known(), a.status, jsonrpc.CodeInvalidRequest, text)
}

// refuse answers a message with a transport error.
func refuse(w http.ResponseWriter, id jsontext.Value, status int, code int64, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(envelopeOf(id, "error", errorText(&jsonrpc.Error{Code: code, Message: text}))) // the client may have gone
}

// statusOf returns the HTTP status of an error code of JSON-RPC.
func statusOf(code int64) int {
	switch code {
	case jsonrpc.CodeInternalError:
		return http.StatusInternalServerError
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// idOf returns the id of a message, or null, without checking the rest of it.
func idOf(body []byte) jsontext.Value {
	var m envelope
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	if jsonv2.UnmarshalDecode(d, &m) != nil {
		return jsontext.Value("null")
	}
	return m.known()
}
