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

// inside is the id by which the SDK knows a message. It reads ids as numbers of limited size, and what it answers under this
// one is sent under the message's own.
const inside = "1"

// renumbered is a message with an id that the SDK gives back as it is. Notifications have none.
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

// answerTo is the answer of the SDK to a message, under the id of the message. Errors of the SDK's own are in our words: its
// texts name types of Go.
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

// wordsFor is an error of the SDK's, by its code, in our words.
func wordsFor(method string, code int64) (int64, string) {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return code, "There is no such method in this version of the protocol."
	case codeHeaders:
		return code, "The headers MCP-Protocol-Version, Mcp-Method and Mcp-Name must say what the message does."
	case codeVersion:
		return code, "MCP-Protocol-Version: is none of the versions that are served."
	case jsonrpc.CodeInternalError:
		return code, "Internal error."
	case jsonrpc.CodeInvalidRequest:
		return code, "The message is none that " + method + " takes."
	}
	return jsonrpc.CodeInvalidParams, "params: are none that " + method + " takes, or lack the members of _meta that this version of the protocol requires."
}

// The codes of errors of MCP itself.
const (
	codeHeaders = -32020
	codeVersion = -32022
)

// envelopeOf is a message of one member beside its id.
func envelopeOf(id jsontext.Value, member string, value []byte) []byte {
	out := make([]byte, 0, len(id)+len(value)+60)
	out = append(append(out, `{"jsonrpc":"2.0","id":`...), id...)
	out = append(append(out, `,"`+member+`":`...), value...)
	return append(out, '}')
}

// errorText is an error as JSON. Whatever cannot be written is an internal one.
func errorText(e *jsonrpc.Error) []byte {
	text, err := jsonv2.Marshal(e, jsonv2.Deterministic(true))
	if err != nil {
		return []byte(`{"code":-32603,"message":"Internal error."}`)
	}
	return text
}

// spellOut answers with an error of the protocol what the SDK refused in plain text.
func (a *recorder) spellOut(w http.ResponseWriter, m envelope) {
	text := "The request is none that MCP has over HTTP."
	switch said := a.body.String(); {
	case a.status == http.StatusUnsupportedMediaType:
		text = "Content-Type: must be application/json."
	case strings.Contains(said, "protocol version"):
		text = "MCP-Protocol-Version: is none of the versions that are served."
	case strings.Contains(said, "Last-Event-ID"):
		text = "Last-Event-ID: is not for a POST."
	}
	refuse(w, m.known(), a.status, jsonrpc.CodeInvalidRequest, text)
}

// refuse answers a message with an error that is the transport's.
func refuse(w http.ResponseWriter, id jsontext.Value, status int, code int64, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(envelopeOf(id, "error", errorText(&jsonrpc.Error{Code: code, Message: text}))) // the client may have gone
}

// statusOf is the HTTP status of an error that says none.
func statusOf(code int64) int {
	switch code {
	case jsonrpc.CodeInternalError:
		return http.StatusInternalServerError
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// idOf is the id of a message of which nothing else is looked at, or null.
func idOf(body []byte) jsontext.Value {
	var m envelope
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	if jsonv2.UnmarshalDecode(d, &m) != nil {
		return jsontext.Value("null")
	}
	return m.known()
}
