package protocols

import (
	"bytes"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/signature"
)

// sent is an agent's request that creates a checkout.
type sent struct {
	path   string
	header http.Header
	body   []byte
}

// signedBy signs the request in its current state.
func (r *sent) signedBy(t *testing.T, key *signature.Key, at time.Time) {
	t.Helper()
	must(t, key.Sign(signature.Message{
		Method:    http.MethodPost,
		Authority: publicHost,
		Path:      r.path,
		Header:    r.header,
		Body:      r.body,
	}, at))
}

// digest sets the header with the body's digest without updating the signature.
func (r *sent) digest(t *testing.T) {
	t.Helper()
	other := sent{
		path:   r.path,
		header: http.Header{"Content-Type": r.header["Content-Type"]},
		body:   r.body,
	}
	key, err := signature.NewKey()
	must(t, err)
	other.signedBy(t, key, time.Now())
	r.header["Content-Digest"] = other.header["Content-Digest"]
}

// overDER encodes the signature as DER, which many libraries do by default.
func (r *sent) overDER(t *testing.T) {
	t.Helper()
	text := strings.TrimSuffix(strings.TrimPrefix(r.header.Get("Signature"), "sig1=:"), ":")
	raw, err := base64.StdEncoding.DecodeString(text)
	must(t, err)
	der, err := asn1.Marshal([]*big.Int{new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])})
	must(t, err)
	r.header.Set("Signature", "sig1=:"+base64.StdEncoding.EncodeToString(der)+":")
}

// TestSignatures sends signed requests over REST and MCP that were changed after signing, or signed in a way that does not
// match their claims. Each must be refused, and never treated as unsigned.
func TestSignatures(t *testing.T) {
	s := openShop(t, serve(t, boottest.Engines[0].URL(t), besides), "USD", 10_000)
	other := openShop(t, s.url, "USD", 10_000)
	p := openPlatform(t, "")
	foreign, err := signature.NewKey()
	must(t, err)
	disguised, late := *foreign, *p.key
	disguised.ID, late.Expires = p.key.ID, time.Now().Add(-time.Minute)
	for name, test := range map[string]struct {
		change func(t *testing.T, r *sent) // changes a request that the agent signed
		code   string                      // "": served
		status int
	}{
		"as the agent signed it": {func(*testing.T, *sent) {}, "", 0},
		"a wrong digest": {func(_ *testing.T, r *sent) {
			r.header.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(make([]byte, 32))+":")
		}, "digest_mismatch", 400},
		"a signature in DER":                {func(t *testing.T, r *sent) { r.overDER(t) }, "signature_invalid", 401},
		"a foreign key":                     {func(t *testing.T, r *sent) { r.signedBy(t, foreign, time.Now()) }, "key_not_found", 401},
		"a foreign key under the agent's":   {func(t *testing.T, r *sent) { r.signedBy(t, &disguised, time.Now()) }, "signature_invalid", 401},
		"replayed with another body":        {func(_ *testing.T, r *sent) { r.body = append(r.body, ' ') }, "digest_mismatch", 400},
		"with another body and its digest":  {func(t *testing.T, r *sent) { r.body = append(r.body, ' '); r.digest(t) }, "signature_invalid", 401},
		"replayed to another shop":          {func(_ *testing.T, r *sent) { r.path = strings.Replace(r.path, s.slug, other.slug, 1) }, "signature_invalid", 401},
		"replayed under another key":        {func(_ *testing.T, r *sent) { r.header.Set("Idempotency-Key", "another-key-of-the-agent-1") }, "signature_invalid", 401},
		"as another agent's":                {func(_ *testing.T, r *sent) { r.header.Set("UCP-Agent", fmt.Sprintf("profile=%q", p.url+"?other")) }, "signature_invalid", 401},
		"replayed after more than a day":    {func(t *testing.T, r *sent) { r.signedBy(t, p.key, time.Now().Add(-25*time.Hour)) }, "signature_invalid", 401},
		"signed in the future":              {func(t *testing.T, r *sent) { r.signedBy(t, p.key, time.Now().Add(time.Hour)) }, "signature_invalid", 401},
		"an expired signature":              {func(t *testing.T, r *sent) { r.signedBy(t, &late, time.Now().Add(-time.Hour)) }, "signature_invalid", 401},
		"a signature that says of nothing":  {func(_ *testing.T, r *sent) { r.header.Del("Signature-Input") }, "signature_missing", 401},
		"what is signed, without signature": {func(_ *testing.T, r *sent) { r.header.Del("Signature") }, "signature_missing", 401},
		"no signature": {func(_ *testing.T, r *sent) {
			for _, field := range []string{"Signature", "Signature-Input", "Content-Digest"} {
				r.header.Del(field)
			}
		}, "", 0}, // unsigned requests are allowed
	} {
		for _, transport := range []ucp.Transport{ucp.REST, ucp.MCP} {
			t.Run(name+" over "+string(transport), func(t *testing.T) {
				r := s.creates(p, transport)
				r.signedBy(t, p.key, time.Now())
				test.change(t, &r)
				status, code := s.send(t, r)
				if test.code == "" && status/100 != 2 || code != test.code || test.code != "" && status != test.status {
					t.Errorf("%d %q, want %d %q", status, code, test.status, test.code)
				}
			})
		}
	}
}

var checkoutsSent int

// creates returns an unsigned request for a checkout, with a new idempotency key.
func (s *shop) creates(p *platform, transport ucp.Transport) sent {
	checkoutsSent++
	body := fmt.Sprintf(`{"line_items": [{"item": {"id": %q}, "quantity": 1}]}`, s.items[0].variant)
	r := sent{path: "/p/" + s.slug + "/ucp/checkout-sessions", header: http.Header{
		"Ucp-Agent":       {fmt.Sprintf("profile=%q", p.url)},
		"Content-Type":    {"application/json"},
		"X-Forwarded-For": {newCaller()}, // unknown profiles are fetched at most twice a second per address
		"Idempotency-Key": {fmt.Sprintf("the-key-of-a-signed-request-%d", checkoutsSent)},
	}}
	if transport == ucp.MCP {
		r.path = "/p/" + s.slug + "/mcp"
		r.header.Set("Accept", "application/json, text/event-stream")
		body = fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "create_checkout", "arguments": {"checkout": %s}}}`, body)
	}
	r.body = []byte(body)
	return r
}

// send sends a request and returns the status and the error's code.
func (s *shop) send(t *testing.T, r sent) (status int, code string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+r.path, bytes.NewReader(r.body))
	must(t, err)
	request.Header = r.header
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	var said struct {
		Code  string `json:"code"`
		Error struct {
			Data struct {
				Code string `json:"code"`
			} `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return answer.StatusCode, said.Code + said.Error.Data.Code
}
