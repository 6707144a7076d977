package signature_test

import (
	"crypto/ecdsa"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/ucp/signature"
)

func signed(t *testing.T) (signature.Message, map[string]*ecdsa.PublicKey) {
	t.Helper()
	key, err := signature.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	m := signature.Message{
		Method:    "POST",
		Authority: "Shop.example.com",
		Path:      "/ucp/carts",
		Query:     "a=1",
		Header: http.Header{
			"Content-Type":    {"application/json"},
			"Ucp-Agent":       {`profile="https://agent.example/p"`},
			"Idempotency-Key": {"0123456789012345678901"},
		},
		Body: []byte(`{"line_items":[]}`),
	}
	if err := key.Sign(m, time.Unix(1_800_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	public, err := signature.PublicKey(key.Public()["x"], key.Public()["y"])
	if err != nil {
		t.Fatal(err)
	}
	return m, map[string]*ecdsa.PublicKey{key.ID: public}
}

func TestVerify(t *testing.T) {
	m, keys := signed(t)
	if err := signature.Verify(m, keys); err != nil {
		t.Error(err)
	}
}

func TestVerify_refuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*signature.Message)
		want   error
	}{
		"another body":      {func(m *signature.Message) { m.Body = []byte(`{}`) }, signature.ErrDigest},
		"another path":      {func(m *signature.Message) { m.Path = "/ucp/orders" }, signature.ErrInvalid},
		"another query":     {func(m *signature.Message) { m.Query = "a=2" }, signature.ErrInvalid},
		"another agent":     {func(m *signature.Message) { m.Header.Set("UCP-Agent", `profile="https://other.example"`) }, signature.ErrInvalid},
		"a DER signature":   {func(m *signature.Message) { m.Header.Set("Signature", "sig1=:MEUCIQ==:") }, signature.ErrInvalid},
		"no signature":      {func(m *signature.Message) { m.Header.Del("Signature-Input") }, signature.ErrMissing},
		"a key left out":    {func(m *signature.Message) { m.Header.Set("Signature-Input", `sig1=("@method");keyid="x"`) }, signature.ErrCovers},
		"an unknown key id": {func(m *signature.Message) { replaceKey(m) }, signature.ErrKey},
	} {
		t.Run(name, func(t *testing.T) {
			m, keys := signed(t)
			test.change(&m)
			if err := signature.Verify(m, keys); !errors.Is(err, test.want) {
				t.Errorf("want %v, got %v", test.want, err)
			}
		})
	}
}

func replaceKey(m *signature.Message) {
	input := m.Header.Get("Signature-Input")
	m.Header.Set("Signature-Input", input[:len(input)-4]+`zzz"`)
}

// The keys, the signature base and the signature are those of RFC 9421 B.2.4 (a response signed with ECDSA P-256).
func TestVerify_RFC9421(t *testing.T) {
	public, err := signature.PublicKey("qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA", "Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0")
	if err != nil {
		t.Fatal(err)
	}
	m := signature.Message{
		Status: 200,
		Header: http.Header{
			"Content-Type":    {"application/json"},
			"Content-Digest":  {"sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"},
			"Content-Length":  {"23"},
			"Signature-Input": {`sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"`},
			"Signature":       {"sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:"},
		},
	}
	if err := signature.Verify(m, map[string]*ecdsa.PublicKey{"test-key-ecc-p256": public}); err != nil {
		t.Error(err)
	}
}
