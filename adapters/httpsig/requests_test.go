package httpsig_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/asn1"
	"encoding/base64"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

const profile = `profile="https://platform.example/.well-known/ucp"`

// agent signs requests with its own implementation of the RFC.
type agent struct {
	kid  string
	sign func(base []byte) []byte
}

func p256Agent(t *testing.T, n byte, kid string) (agent, agentid.Key) {
	t.Helper()
	key := private(t, n)
	sign := func(base []byte) []byte {
		signature, err := key.Sign(base)
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}
	return agent{kid, sign}, agentid.Key{
		ID:     kid,
		Public: key.Public(),
		Signs:  true,
	}
}

func edAgent() (agent, agentid.Key) {
	whole := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	public := signing.Ed25519(whole.Public().(ed25519.PublicKey))
	kid := public.Thumbprint()
	return agent{kid, func(base []byte) []byte { return ed25519.Sign(whole, base) }}, agentid.Key{
		ID:     kid,
		Public: public,
		Signs:  true,
	}
}

// post returns an unsigned request that creates a checkout.
func post() ports.SignedRequest {
	body := []byte(`{"line_items": [{"item": {"id": "item_123"}, "quantity": 2}]}`)
	return ports.SignedRequest{
		Method:    "POST",
		Authority: "merchant.example",
		Path:      "/checkout-sessions",
		Body:      body,
		Header: http.Header{
			"Content-Type":    {"application/json"},
			"Ucp-Agent":       {profile},
			"Idempotency-Key": {"550e8400-e29b-41d4-a716-446655440000"},
			"Content-Digest":  {httpsig.Digest(body)},
		},
	}
}

var all = []string{"@method", "@authority", "@path", "ucp-agent", "idempotency-key", "content-digest", "content-type"}

// signs adds a signature with a label over components, with parameters after the list.
func (a agent) signs(r ports.SignedRequest, label string, components []string, params string) ports.SignedRequest {
	r.Header = maps.Clone(r.Header)
	var base strings.Builder
	names := make([]string, len(components))
	for i, name := range components {
		value := ""
		switch name {
		case "@method":
			value = r.Method
		case "@authority":
			value = r.Authority
		case "@path":
			value = r.Path
		case "@query":
			value = "?" + r.Query
		case "signature-agent;member":
			name, value = `signature-agent";key="`+label, `"https://platform.example/.well-known/ucp";type=jwks_uri`
		default:
			value = strings.Join(r.Header[http.CanonicalHeaderKey(name)], ", ")
		}
		names[i] = `"` + name + `"`
		fmt.Fprintf(&base, "%s: %s\n", names[i], value)
	}
	input := "(" + strings.Join(names, " ") + `);keyid="` + a.kid + `"` + params
	base.WriteString(`"@signature-params": ` + input)
	add := func(field, value string) { r.Header[field] = append(r.Header[field], label+"="+value) }
	add("Signature-Input", input)
	add("Signature", ":"+base64.StdEncoding.EncodeToString(a.sign([]byte(base.String())))+":")
	return r
}

// verified returns the result of both steps, Signed and Verify.
func verified(r ports.SignedRequest, keys ...agentid.Key) (agentid.Key, error) {
	requests := httpsig.Requests{}
	signed, err := requests.Signed(r)
	switch {
	case err != nil:
		return agentid.Key{}, err
	case !signed:
		return agentid.Key{}, fault.New(fault.Internal, "unsigned", "")
	}
	return requests.Verify(r, noon, func(id string) (agentid.Key, bool) {
		return agentid.Profile{Keys: keys}.KeyNamed(id)
	})
}

// The shapes of the specification's examples.
func TestRequests_Verify(t *testing.T) {
	t.Parallel()
	p256, p256Key := p256Agent(t, 1, "platform-2026")
	ed, edKey := edAgent()
	stranger, _ := p256Agent(t, 2, "stranger")
	lookup := ports.SignedRequest{
		Method:    "GET",
		Authority: "merchant.example",
		Path:      "/checkout-sessions/chk_123",
		Header:    http.Header{"Ucp-Agent": {profile}},
	}
	query := lookup
	query.Query = "a=b&c=%20"
	both := post()
	both.Header["Signature-Agent"] = []string{`sig1="https://platform.example/.well-known/ucp";type=jwks_uri`}
	for name, test := range map[string]struct {
		request ports.SignedRequest
		want    agentid.Key
	}{
		"P-256 without times":                 {p256.signs(post(), "sig1", all, ""), p256Key},
		"Ed25519":                             {ed.signs(post(), "sig1", all, ";created=1772452800"), edKey},
		"GET":                                 {p256.signs(lookup, "sig1", []string{"@method", "@authority", "@path", "ucp-agent"}, ""), p256Key},
		"a query":                             {p256.signs(query, "sig1", []string{"@query", "@method", "@authority", "@path", "ucp-agent"}, ""), p256Key},
		"Web Bot Auth":                        {ed.signs(both, "sig1", append([]string{"signature-agent;member"}, all...), `;created=1772452800;expires=1772456400;tag="web-bot-auth"`), edKey},
		"Signature-Agent as a whole":          {p256.signs(both, "sig1", append([]string{"signature-agent"}, all...), ""), p256Key},
		"a day old":                           {p256.signs(post(), "sig1", all, ";created=1772366400"), p256Key},
		"a clock that is ahead":               {p256.signs(post(), "sig1", all, ";created=1772452860"), p256Key},
		"another parameter":                   {p256.signs(post(), "sig1", all, `;nonce="abc"`), p256Key},
		"beside that of a proxy":              {p256.signs(stranger.signs(post(), "proxy", all, ""), "sig1", all, ""), p256Key},
		"beside one that covers too little":   {p256.signs(p256.signs(post(), "small", []string{"@authority"}, ""), "sig1", all, ""), p256Key},
		"beside one with a tag for others":    {p256.signs(p256.signs(post(), "other", all, `;tag="other"`), "sig1", all, ""), p256Key},
		"beside one of an unknown algorithm":  {p256.signs(agent{"rsa", stranger.sign}.signs(post(), "rsa", all, ""), "sig1", all, ""), p256Key},
		"beside one of Web Bot Auth, by name": {ed.signs(agent{"platform-2026", p256.sign}.signs(post(), "wba", all, `;tag="web-bot-auth"`), "sig1", all, ""), edKey},
	} {
		got, err := verified(test.request, p256Key, edKey, agentid.Key{ID: "rsa", Signs: true})
		if err != nil || got != test.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// derOf returns a function that signs in DER, the other encoding that libraries produce.
func derOf(sign func([]byte) []byte) func([]byte) []byte {
	return func(base []byte) []byte {
		raw := sign(base)
		der, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])})
		if err != nil {
			panic(err)
		}
		return der
	}
}

func TestRequests_Verify_refuses(t *testing.T) {
	t.Parallel()
	p256, key := p256Agent(t, 1, "platform-2026")
	foreign, _ := p256Agent(t, 2, "platform-2026")
	stranger, _ := p256Agent(t, 2, "stranger")
	good := p256.signs(post(), "sig1", all, "")
	replayed := func(change func(*ports.SignedRequest)) ports.SignedRequest {
		r := good
		r.Header = maps.Clone(r.Header)
		change(&r)
		return r
	}
	without := func(name string) ports.SignedRequest {
		var some []string
		for _, c := range all {
			if c != name {
				some = append(some, c)
			}
		}
		return p256.signs(post(), "sig1", some, "")
	}
	queried, agented, undigested := post(), post(), post()
	queried.Query = "x=1"
	agented.Header["Signature-Agent"] = []string{`sig2="https://platform.example/.well-known/ucp"`}
	delete(undigested.Header, "Content-Digest")
	relabeled := p256.signs(agented, "sig2", append([]string{"signature-agent;member"}, all...), "")
	for _, field := range []string{"Signature-Input", "Signature"} {
		relabeled.Header[field] = []string{strings.Replace(relabeled.Header[field][0], "sig2=", "sig1=", 1)}
	}
	const invalid, unauthenticated, malformed = "signature_invalid", fault.Unauthenticated, fault.Malformed
	for name, test := range map[string]struct {
		request ports.SignedRequest
		kind    fault.Kind
		code    string
		says    string
	}{
		"a foreign key under its name": {foreign.signs(post(), "sig1", all, ""), unauthenticated, invalid, ""},
		"a key that is not published":  {stranger.signs(post(), "sig1", all, ""), unauthenticated, "key_not_found", ""},
		"a key for encryption":         {agent{"enc", p256.sign}.signs(post(), "sig1", all, ""), unauthenticated, "key_not_found", ""},
		"a key of another algorithm":   {agent{"rsa", p256.sign}.signs(post(), "sig1", all, ""), malformed, "algorithm_unsupported", ""},
		"another algorithm's name":     {p256.signs(post(), "sig1", all, `;alg="rsa-pss-sha512"`), malformed, "algorithm_unsupported", ""},
		"DER":                          {agent{p256.kid, derOf(p256.sign)}.signs(post(), "sig1", all, ""), unauthenticated, invalid, ""},
		"replayed to another host":     {replayed(func(r *ports.SignedRequest) { r.Authority = "other.example" }), unauthenticated, invalid, ""},
		"replayed to another path":     {replayed(func(r *ports.SignedRequest) { r.Path = "/carts" }), unauthenticated, invalid, ""},
		"replayed by another method":   {replayed(func(r *ports.SignedRequest) { r.Method = "PUT" }), unauthenticated, invalid, ""},
		"replayed with a query":        {replayed(func(r *ports.SignedRequest) { r.Query = "x=1" }), unauthenticated, invalid, "@query"},
		"replayed under another key":   {replayed(func(r *ports.SignedRequest) { r.Header["Idempotency-Key"] = []string{"another"} }), unauthenticated, invalid, ""},
		"replayed as another agent's":  {replayed(func(r *ports.SignedRequest) { r.Header["Ucp-Agent"] = []string{`profile="https://x.example"`} }), unauthenticated, invalid, ""},
		"replayed with another body":   {replayed(func(r *ports.SignedRequest) { r.Body = []byte(`{}`) }), malformed, "digest_mismatch", ""},
		"replayed with body and digest": {replayed(func(r *ports.SignedRequest) {
			r.Body = []byte(`{}`)
			r.Header["Content-Digest"] = []string{httpsig.Digest(r.Body)}
		}), unauthenticated, invalid, ""},
		"replayed without body":              {replayed(func(r *ports.SignedRequest) { r.Body = nil }), malformed, "digest_mismatch", ""},
		"a digest by MD5":                    {replayed(func(r *ports.SignedRequest) { r.Header["Content-Digest"] = []string{"md5=:AAAA:"} }), malformed, "digest_mismatch", ""},
		"a body without digest":              {p256.signs(undigested, "sig1", all[:5], ""), unauthenticated, invalid, "content-digest, content-type"},
		"expired":                            {p256.signs(post(), "sig1", all, ";created=1772449200;expires=1772452799"), unauthenticated, invalid, "expired"},
		"expired, without creation":          {p256.signs(post(), "sig1", all, ";expires=1772452799"), unauthenticated, invalid, "expired"},
		"created in the future":              {p256.signs(post(), "sig1", all, ";created=1772452861"), unauthenticated, invalid, "future"},
		"older than a day":                   {p256.signs(post(), "sig1", all, ";created=1772366399"), unauthenticated, invalid, "old"},
		"older than a day, good until later": {p256.signs(post(), "sig1", all, ";created=1772366399;expires=1872452799"), unauthenticated, invalid, "old"},
		"created as text":                    {p256.signs(post(), "sig1", all, `;created="now"`), unauthenticated, invalid, ""},
		"for others":                         {p256.signs(post(), "sig1", all, `;tag="other"`), unauthenticated, invalid, "tag"},
		"Web Bot Auth, not by thumbprint":    {p256.signs(post(), "sig1", all, `;tag="web-bot-auth"`), unauthenticated, invalid, "thumbprint"},
		"a query that is not covered":        {p256.signs(queried, "sig1", all, ""), unauthenticated, invalid, "@query"},
		"Signature-Agent, not covered":       {p256.signs(agented, "sig1", all, ""), unauthenticated, invalid, "signature-agent"},
		"another label's Signature-Agent":    {relabeled, unauthenticated, invalid, "signature-agent"},
		"without @method":                    {without("@method"), unauthenticated, invalid, "@method"},
		"without @authority":                 {without("@authority"), unauthenticated, invalid, "@authority"},
		"without @path":                      {without("@path"), unauthenticated, invalid, "@path"},
		"without ucp-agent":                  {without("ucp-agent"), unauthenticated, invalid, "ucp-agent"},
		"without idempotency-key":            {without("idempotency-key"), unauthenticated, invalid, "idempotency-key"},
		"without content-digest":             {without("content-digest"), unauthenticated, invalid, "content-digest"},
		"without content-type":               {without("content-type"), unauthenticated, invalid, "content-type"},
		"a long input":                       {p256.signs(post(), "sig1", all, `;nonce="`+strings.Repeat("x", 4<<10)+`"`), unauthenticated, invalid, ""},
		"only an input":                      {replayed(func(r *ports.SignedRequest) { delete(r.Header, "Signature") }), unauthenticated, "signature_missing", ""},
		"only a signature":                   {replayed(func(r *ports.SignedRequest) { delete(r.Header, "Signature-Input") }), unauthenticated, "signature_missing", ""},
		"part of a field":                    {replayed(func(r *ports.SignedRequest) { cut(r, `"ucp-agent"`, `"ucp-agent";key="profile"`) }), unauthenticated, invalid, "ucp-agent"},
		"a part that is not there":           {replayed(func(r *ports.SignedRequest) { cut(r, `"ucp-agent"`, `"ucp-agent" "ucp-agent";key="x"`) }), unauthenticated, invalid, ""},
		"a part of a field that has none":    {replayed(func(r *ports.SignedRequest) { cut(r, `"ucp-agent"`, `"ucp-agent" "content-type";key="x"`) }), unauthenticated, invalid, ""},
		"a part of a derived component":      {replayed(func(r *ports.SignedRequest) { cut(r, `"ucp-agent"`, `"ucp-agent" "@method";key="x"`) }), unauthenticated, invalid, ""},
	} {
		keys := []agentid.Key{{ID: "rsa", Signs: true}, {ID: "enc", Public: key.Public}, key}
		got, err := verified(test.request, keys...)
		if !fault.Is(err, test.code) || fault.KindOf(err) != test.kind || got != (agentid.Key{}) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := verified(good, key); err != nil {
		t.Errorf("what these differ from: %v", err)
	}
}

func cut(r *ports.SignedRequest, old, with string) {
	r.Header["Signature-Input"] = []string{strings.Replace(r.Header["Signature-Input"][0], old, with, 1)}
}

func TestRequests_Signed(t *testing.T) {
	t.Parallel()
	r := post()
	if signed, err := (httpsig.Requests{}).Signed(r); signed || err != nil {
		t.Errorf("%t, %v", signed, err)
	}
	r.Header["Content-Digest"] = []string{"md5=:AAAA:"} // ignored without a signature
	if signed, err := (httpsig.Requests{}).Signed(r); signed || err != nil {
		t.Errorf("%t, %v", signed, err)
	}
	// The digest is checked before any key is looked up.
	p256, _ := p256Agent(t, 1, "k")
	r = p256.signs(post(), "sig1", all, "")
	r.Body = append(r.Body, ' ')
	if signed, err := (httpsig.Requests{}).Signed(r); !signed || !fault.Is(err, "digest_mismatch") {
		t.Errorf("%t, %v", signed, err)
	}
	// A SHA-512 digest is accepted in addition to SHA-256, not instead of it.
	sum := sha512.Sum512(post().Body)
	r = p256.signs(post(), "sig1", all, "")
	r.Header["Content-Digest"] = []string{"sha-512=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"}
	if signed, err := (httpsig.Requests{}).Signed(r); !signed || !fault.Is(err, "digest_mismatch") {
		t.Errorf("%t, %v", signed, err)
	}
	r.Header["Content-Digest"] = append(r.Header["Content-Digest"], httpsig.Digest(r.Body))
	if signed, err := (httpsig.Requests{}).Signed(r); !signed || err != nil {
		t.Errorf("%t, %v", signed, err)
	}
	// A request with only one of the two signature fields fails with another error than a wrong signature.
	for _, field := range []string{"Signature", "Signature-Input"} {
		r = p256.signs(post(), "sig1", all, "")
		delete(r.Header, field)
		if signed, err := (httpsig.Requests{}).Signed(r); !signed || !fault.Is(err, "signature_missing") || fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("without %s: %t, %v", field, signed, err)
		}
	}
}

// Verifying is fast for any header, because the lengths of the fields are bounded.
func BenchmarkRequests_Verify(b *testing.B) {
	key := private(b, 1)
	a := agent{"k", func(base []byte) []byte { s, _ := key.Sign(base); return s }}
	r := a.signs(post(), "sig1", all, ";created=1772452800")
	known := agentid.Key{
		ID:     "k",
		Public: key.Public(),
		Signs:  true,
	}
	for b.Loop() {
		if _, err := verified(r, known); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Second)/float64(b.Elapsed())*float64(b.N), "requests/s")
}
