package httpsig_test

import (
	"bytes"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/domain/signing"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

var covered = []string{"@method", "@authority", "@path", "@query", "content-digest", "content-type"}

func private(t testing.TB, n byte) signing.Private {
	t.Helper()
	key, err := signing.ParsePrivate(bytes.Repeat([]byte{n}, signing.PrivateSize))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// signed returns a signed request to https://shop.example/ucp/carts?x=1.
func signed(t testing.TB, key signing.Private) httpsig.Message {
	t.Helper()
	address, err := url.Parse("https://Shop.example:443/ucp/carts?x=1")
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"hello": "world"}`)
	m := httpsig.Request("POST", address, http.Header{"Content-Type": {"application/json"}, "Content-Digest": {httpsig.Digest(body)}})
	if err := httpsig.Sign(m, "sig1", covered, noon, key); err != nil {
		t.Fatal(err)
	}
	return m
}

func knowing(keys ...signing.Private) func(string) (httpsig.Key, error) {
	return func(id string) (httpsig.Key, error) {
		for _, k := range keys {
			if k.Public().Thumbprint() == id {
				return httpsig.P256{Public: k.Public()}, nil
			}
		}
		return nil, httpsig.ErrKeyNotFound
	}
}

var rules = httpsig.Rules{
	Covered: covered,
	MaxAge:  5 * time.Minute,
	Skew:    time.Minute,
	Now:     noon,
}

func TestSign(t *testing.T) {
	t.Parallel()
	key := private(t, 1)
	m := signed(t, key)
	want := `sig1=("@method" "@authority" "@path" "@query" "content-digest" "content-type");created=1772452800;keyid="` +
		key.Public().Thumbprint() + `"`
	if got := m.Header.Get("Signature-Input"); got != want {
		t.Errorf("signed as %s, want %s", got, want)
	}
	if got, err := httpsig.Verify(m, rules, knowing(key)); err != nil || got != key.Public().Thumbprint() {
		t.Errorf("%q, %v", got, err)
	}
	if !httpsig.Signed(m) || httpsig.Signed(httpsig.Message{Header: http.Header{}}) {
		t.Error("what is signed is not told from what is not")
	}
}

// A message that differs from the signed one, or whose signature breaks the rules, is refused and never treated as unsigned.
func TestVerify_refuses(t *testing.T) {
	t.Parallel()
	key := private(t, 1)
	input := func(change func(string) string) func(*httpsig.Message) {
		return func(m *httpsig.Message) { m.Header.Set("Signature-Input", change(m.Header.Get("Signature-Input"))) }
	}
	for name, test := range map[string]struct {
		change func(*httpsig.Message)
		want   error
	}{
		"another method":              {func(m *httpsig.Message) { m.Method = "PUT" }, httpsig.ErrInvalid},
		"another host":                {func(m *httpsig.Message) { m.Authority = "evil.example" }, httpsig.ErrInvalid},
		"another path":                {func(m *httpsig.Message) { m.Path = "/ucp/cart" }, httpsig.ErrInvalid},
		"another query":               {func(m *httpsig.Message) { m.Query = "x=2" }, httpsig.ErrInvalid},
		"another type of content":     {func(m *httpsig.Message) { m.Header.Set("Content-Type", "text/plain") }, httpsig.ErrInvalid},
		"a second type of content":    {func(m *httpsig.Message) { m.Header.Add("Content-Type", "text/plain") }, httpsig.ErrInvalid},
		"a field that is gone":        {func(m *httpsig.Message) { m.Header.Del("Content-Digest") }, httpsig.ErrInvalid},
		"no signature":                {func(m *httpsig.Message) { m.Header.Del("Signature") }, httpsig.ErrInvalid},
		"no input":                    {func(m *httpsig.Message) { m.Header.Del("Signature-Input") }, httpsig.ErrInvalid},
		"an input that is no list":    {func(m *httpsig.Message) { m.Header.Set("Signature-Input", "sig1=1") }, httpsig.ErrInvalid},
		"an input that is no text":    {func(m *httpsig.Message) { m.Header.Set("Signature-Input", "(((") }, httpsig.ErrInvalid},
		"a signature of another name": {func(m *httpsig.Message) { m.Header.Set("Signature", "sig2=:AAAA:") }, httpsig.ErrInvalid},
		"a signature that is text":    {func(m *httpsig.Message) { m.Header.Set("Signature", `sig1="AAAA"`) }, httpsig.ErrInvalid},
		"an empty signature":          {func(m *httpsig.Message) { m.Header.Set("Signature", "sig1=::") }, httpsig.ErrInvalid},
		"DER":                         {asDER, httpsig.ErrInvalid},
		"another algorithm":           {input(func(s string) string { return s + `;alg="rsa-pss-sha512"` }), httpsig.ErrAlgorithm},
		"an algorithm that is bytes":  {input(func(s string) string { return s + `;alg=:AAAA:` }), httpsig.ErrAlgorithm},
		"another time":                {input(func(s string) string { return strings.Replace(s, "created=1772452800", "created=1772452801", 1) }), httpsig.ErrInvalid},
		"no time":                     {input(func(s string) string { return strings.Replace(s, ";created=1772452800", "", 1) }), httpsig.ErrInvalid},
		"an end that is over":         {input(func(s string) string { return s + ";expires=1772452799" }), httpsig.ErrInvalid},
		"no key":                      {input(func(s string) string { s, _, _ = strings.Cut(s, ";keyid"); return s }), httpsig.ErrInvalid},
		"less covered":                {input(func(s string) string { return strings.Replace(s, ` "@query"`, "", 1) }), httpsig.ErrInvalid},
		"something covered twice":     {input(func(s string) string { return strings.Replace(s, `"@query"`, `"@query" "@query"`, 1) }), httpsig.ErrInvalid},
		"bytes covered":               {input(func(s string) string { return strings.Replace(s, `"@query"`, `"@query" :AAAA: :AAAA:`, 1) }), httpsig.ErrInvalid},
		"a component with parameters": {input(func(s string) string { return strings.Replace(s, `"@query"`, `"@query" "x";sf`, 1) }), httpsig.ErrInvalid},
		"an unknown component":        {input(func(s string) string { return strings.Replace(s, `"@query"`, `"@query" "@new"`, 1) }), httpsig.ErrInvalid},
		"a long input":                {input(func(s string) string { return s + `;x="` + strings.Repeat("x", 4<<10) + `"` }), httpsig.ErrInvalid},
		"many signatures":             {many, httpsig.ErrInvalid},
	} {
		m := signed(t, key)
		test.change(&m)
		if got, err := httpsig.Verify(m, rules, knowing(key)); !errors.Is(err, test.want) || got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, at := range map[string]time.Time{"old": noon.Add(5*time.Minute + time.Second), "of the future": noon.Add(-time.Minute - time.Second)} {
		late := rules
		late.Now = at
		if _, err := httpsig.Verify(signed(t, key), late, knowing(key)); !errors.Is(err, httpsig.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := httpsig.Verify(signed(t, key), rules, knowing(private(t, 2))); !errors.Is(err, httpsig.ErrKeyNotFound) {
		t.Errorf("an unknown key: %v", err)
	}
}

// asDER converts the signature to DER, the other encoding that libraries produce.
func asDER(m *httpsig.Message) {
	text := strings.TrimSuffix(strings.TrimPrefix(m.Header.Get("Signature"), "sig1=:"), ":")
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	der, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])})
	if err != nil {
		panic(err)
	}
	m.Header.Set("Signature", "sig1=:"+base64.StdEncoding.EncodeToString(der)+":")
}

func many(m *httpsig.Message) {
	input, signature := m.Header.Get("Signature-Input"), m.Header.Get("Signature")
	for n := range 4 {
		name := fmt.Sprintf("other%d", n)
		m.Header.Add("Signature-Input", strings.Replace(input, "sig1", name, 1))
		m.Header.Add("Signature", strings.Replace(signature, "sig1", name, 1))
	}
}

// One of two signatures is by an unknown key, such as a proxy's. The other one must still be valid.
func TestVerify_twoSignatures(t *testing.T) {
	t.Parallel()
	key, proxy := private(t, 1), private(t, 2)
	m := signed(t, proxy)
	if err := httpsig.Sign(m, "sig2", covered, noon, key); err != nil {
		t.Fatal(err)
	}
	if got, err := httpsig.Verify(m, rules, knowing(key)); err != nil || got != key.Public().Thumbprint() {
		t.Errorf("%q, %v", got, err)
	}
	m.Path = "/other"
	if _, err := httpsig.Verify(m, rules, knowing(key)); !errors.Is(err, httpsig.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

func TestCheckDigest_refuses(t *testing.T) {
	t.Parallel()
	good := httpsig.Digest([]byte("body"))
	for name, digest := range map[string][]string{
		"another body's":        {httpsig.Digest([]byte("other"))},
		"none":                  nil,
		"another algorithm's":   {"md5=:AAAA:"},
		"text":                  {`sha-256="x"`},
		"nothing that is read":  {"((("},
		"two that differ":       {good, "sha-512=:AAAA:"},
		"of a list, the second": {"sha-512=:AAAA:, " + good},
	} {
		if err := httpsig.CheckDigest(http.Header{"Content-Digest": digest}, []byte("body")); !errors.Is(err, httpsig.ErrDigest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Untrusted input is refused without a panic.
func FuzzVerify(f *testing.F) {
	key := private(f, 1)
	m := signed(f, key)
	f.Add(m.Header.Get("Signature-Input"), m.Header.Get("Signature"), m.Header.Get("Content-Digest"))
	f.Add(`sig1=(:AAAA: :AAAA:);created=1772452800;keyid="x"`, "sig1=:AAAA:", "sha-256=1")
	f.Fuzz(func(t *testing.T, input, signature, digest string) {
		m := signed(t, key)
		m.Header = m.Header.Clone()
		m.Header.Set("Signature-Input", input)
		m.Header.Set("Signature", signature)
		find := func(string) (httpsig.Key, error) { return httpsig.P256{Public: key.Public()}, nil }
		_, _ = httpsig.Verify(m, rules, find)
		_ = httpsig.CheckDigest(http.Header{"Content-Digest": {digest}}, []byte("body"))
	})
}
