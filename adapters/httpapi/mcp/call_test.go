package mcp

import (
	"encoding/json"
	"net/http"
	"testing"
)

// The operation validates profile URLs, as over REST. In a sandbox, one on this machine is valid.
func TestName(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`{}`: `profile="https://header.example/p"`,
		`{"ucp-agent": {"profile": "https://agent.example/p"}}`:    `profile="https://agent.example/p"`,
		`{"ucp-agent": {"profile": "http://127.0.0.1:9000/p"}}`:    `profile="http://127.0.0.1:9000/p"`,
		`{"ucp-agent": {"profile": "https://a.example/\"; x=1"}}`:  `profile="https://a.example/\"; x=1"`,
		`{"ucp-agent": {"profile": ""}}`:                           "",
		`{"ucp-agent": {}}`:                                        "",
		`{"ucp-agent": {"profile": "https://ä.example/"}}`:         "",
		`{"ucp-agent": {"profile": "https://a.example/\r\nX: y"}}`: "",
	} {
		var from meta
		if err := json.Unmarshal([]byte(said), &from); err != nil {
			t.Fatal(err)
		}
		r := &http.Request{Header: http.Header{}}
		err := name(r, []string{`profile="https://header.example/p"`}, from)
		if got := r.Header.Get(agentHeader); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", said, got, err)
		}
	}
}
