package mcp

import (
	"bytes"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// envelope is a message of JSON-RPC. Its members keep the bytes that were sent, because answers repeat the id byte for byte.
type envelope struct {
	Version jsontext.Value `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  jsontext.Value `json:"method"`
	Params  jsontext.Value `json:"params"`
	Result  jsontext.Value `json:"result"`
	Error   jsontext.Value `json:"error"`

	method string
}

// problem describes what is wrong with a message, and names the member.
type problem struct {
	code int64
	text string
}

func malformed(text string) *problem { return &problem{jsonrpc.CodeInvalidRequest, text} }
func unfit(text string) *problem     { return &problem{jsonrpc.CodeInvalidParams, text} }

// served maps the methods that the endpoint serves to their checks. The SDK knows more methods, for features that this endpoint does
// not advertise.
var served = map[string]func(params jsontext.Value, tools map[string]caller) *problem{
	"initialize":                       initializes,
	"ping":                             nil,
	"server/discover":                  nil,
	"tools/list":                       lists,
	callsTool:                          calls,
	"notifications/cancelled":          nil,
	"notifications/initialized":        nil,
	"notifications/progress":           nil,
	"notifications/roots/list_changed": nil,
}

const callsTool = "tools/call"

// parse parses a message after check, and returns a problem if it is malformed, with as much of the message as it could read.
func parse(body []byte, wrong *problem, tools map[string]caller) (envelope, *problem) {
	var m envelope
	if wrong != nil && wrong != tooDeep {
		return m, wrong
	}
	if json.Unmarshal(body, &m) != nil {
		return envelope{}, malformed("The message must be an object.")
	}
	if wrong == nil {
		wrong = m.check(tools)
	}
	return m, wrong
}

var tooDeep = malformed("The message nests deeper than 32 levels.")

// check refuses what is not one message of JSON, of bounded depth.
func check(body []byte) *problem {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '[' {
		return malformed("Send one message per request.")
	}
	deep := false
	for d := jsontext.NewDecoder(bytes.NewReader(body)); ; {
		_, err := d.ReadToken()
		switch {
		case err == io.EOF && deep:
			return tooDeep
		case err == io.EOF:
			return nil
		case err != nil:
			return &problem{jsonrpc.CodeParseError, "The message is not JSON, or has a duplicate name in an object."}
		case d.StackDepth() > maxDepth:
			deep = true
		}
	}
}

// known returns the id of a message if it is valid, or else null.
func (m *envelope) known() jsontext.Value {
	if kind := m.ID.Kind(); kind == '"' || kind == '0' {
		return m.ID
	}
	return jsontext.Value("null")
}

// answers reports whether a message is an answer to a request. The endpoint sends no requests.
func (m *envelope) answers() bool {
	return len(m.Method) == 0 && (len(m.Result) > 0 || len(m.Error) > 0)
}

func (m *envelope) check(tools map[string]caller) *problem {
	version, said := textOf(m.Version)
	switch {
	case !said || version != "2.0":
		return malformed(`jsonrpc: must be "2.0".`)
	case len(m.ID) > 0 && !isOneOf(m.ID, `"0n`):
		return malformed("id: must be text or a number.")
	case m.answers():
		return nil
	}
	if m.method, said = textOf(m.Method); !said {
		return malformed("method: is required, and must be text.")
	}
	look, known := served[m.method]
	notifies := strings.HasPrefix(m.method, "notifications/")
	switch {
	case !known:
		return &problem{jsonrpc.CodeMethodNotFound, "There is no such method."}
	case notifies && len(m.ID) > 0:
		return malformed("id: must be omitted in a notification.")
	case !notifies && !isOneOf(m.ID, `"0`):
		return malformed("id: is required, as text or a number.")
	case !isOneOf(m.Params, "{n", absent):
		return unfit("params: must be an object.")
	case look == nil:
		return nil
	}
	return look(m.Params, tools)
}

// initializes checks the request initialize.
func initializes(params jsontext.Value, _ map[string]caller) *problem {
	var p struct {
		Version      jsontext.Value `json:"protocolVersion"`
		Capabilities jsontext.Value `json:"capabilities"`
		Client       jsontext.Value `json:"clientInfo"`
	}
	var client struct {
		Name    jsontext.Value `json:"name"`
		Title   jsontext.Value `json:"title"`
		Version jsontext.Value `json:"version"`
	}
	switch {
	case !isOneOf(params, "{"):
		return unfit("params: is required, and must be an object.")
	case json.Unmarshal(params, &p) != nil || !isOneOf(p.Version, `"`):
		return unfit("params.protocolVersion: is required, and must be text.")
	case !isOneOf(p.Capabilities, "{n", absent):
		return unfit("params.capabilities: must be an object.")
	case !isOneOf(p.Client, "{n", absent):
		return unfit("params.clientInfo: must be an object.")
	case p.Client.Kind() != '{':
		return nil
	case json.Unmarshal(p.Client, &client) != nil || !isOneOf(client.Name, `"`, absent):
		return unfit("params.clientInfo.name: must be text.")
	case !isOneOf(client.Title, `"`, absent):
		return unfit("params.clientInfo.title: must be text.")
	case !isOneOf(client.Version, `"`, absent):
		return unfit("params.clientInfo.version: must be text.")
	}
	return nil
}

// lists checks a request for the list of tools, which has one page.
func lists(params jsontext.Value, _ map[string]caller) *problem {
	var p struct {
		Cursor jsontext.Value `json:"cursor"`
		Meta   jsontext.Value `json:"_meta"`
	}
	switch {
	case len(params) == 0 || params.Kind() == 'n':
		return nil
	case json.Unmarshal(params, &p) != nil || len(p.Cursor) > 0 && string(p.Cursor) != `""`:
		return unfit("params.cursor: is unknown; the list has one page.")
	case !isOneOf(p.Meta, "{n", absent):
		return unfit("params._meta: must be an object.")
	}
	return nil
}

// calls checks a call of a tool. The operation checks the arguments themselves.
func calls(params jsontext.Value, tools map[string]caller) *problem {
	var p struct {
		Name      jsontext.Value `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
		Meta      jsontext.Value `json:"_meta"`
	}
	if !isOneOf(params, "{") || json.Unmarshal(params, &p) != nil {
		return unfit("params: is required, and must be an object.")
	}
	name, said := textOf(p.Name)
	_, known := tools[name]
	switch {
	case !said:
		return unfit("params.name: is required, and must be text.")
	case !known:
		return unfit("params.name: is not a tool; tools/list has the names.")
	case !isOneOf(p.Arguments, "{n", absent):
		return unfit("params.arguments: must be an object.")
	case !isOneOf(p.Meta, "{n", absent):
		return unfit("params._meta: must be an object.")
	}
	return nil
}

// absent marks a value as optional for isOneOf.
const absent = true

// isOneOf reports whether a value is of one of the kinds (jsontext.Kind), or is missing and optional.
func isOneOf(v jsontext.Value, kinds string, optional ...bool) bool {
	if len(v) == 0 {
		return len(optional) > 0
	}
	return strings.IndexByte(kinds, byte(v.Kind())) >= 0
}

// textOf returns the text of a JSON string, and reports whether the value is one.
func textOf(v jsontext.Value) (text string, ok bool) {
	if v.Kind() != '"' {
		return "", false
	}
	return text, json.Unmarshal(v, &text) == nil
}
