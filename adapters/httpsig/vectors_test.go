package httpsig_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/domain/signing"
)

// Keys of RFC 9421, appendix B.1.3 and B.1.4.
const (
	testKeyECC = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
-----END PUBLIC KEY-----`
	testKeyEd = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
-----END PUBLIC KEY-----`
)

// rfcKeys returns a lookup function for the RFC's keys.
func rfcKeys(t *testing.T) func(string) (httpsig.Key, error) {
	t.Helper()
	parse := func(text string) any {
		block, _ := pem.Decode([]byte(text))
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	point, err := parse(testKeyECC).(*ecdsa.PublicKey).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	var p256 signing.Public
	copy(p256.X[:], point[1:33])
	copy(p256.Y[:], point[33:])
	return func(id string) (httpsig.Key, error) {
		switch id {
		case "test-key-ecc-p256":
			return httpsig.P256{Public: p256}, nil
		case "test-key-ed25519":
			return httpsig.Ed25519{Ed25519: signing.Ed25519(parse(testKeyEd).(ed25519.PublicKey))}, nil
		}
		return nil, httpsig.ErrKeyNotFound
	}
}

const (
	requestDigest  = "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
	responseDigest = "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"
)

// rfcRequest is the test request of appendix B.2.
func rfcRequest() httpsig.Message {
	return httpsig.Message{
		Method:    "POST",
		Authority: "example.com",
		Path:      "/foo",
		Query:     "param=Value&Pet=dog",
		Header: http.Header{
			"Date":           {"Tue, 20 Apr 2021 02:07:55 GMT"},
			"Content-Type":   {"application/json"},
			"Content-Digest": {requestDigest},
			"Content-Length": {"18"},
		},
	}
}

// rfcResponse is the test response of appendix B.2.
func rfcResponse() httpsig.Message {
	return httpsig.Message{
		Status: http.StatusOK,
		Header: http.Header{
			"Date":           {"Tue, 20 Apr 2021 02:07:56 GMT"},
			"Content-Type":   {"application/json"},
			"Content-Digest": {responseDigest},
			"Content-Length": {"23"},
		},
	}
}

// Signatures that the RFC shows.
func TestVerify_RFC9421(t *testing.T) {
	t.Parallel()
	at := time.Unix(1618884480, 0)
	for name, test := range map[string]struct {
		message          httpsig.Message
		input, signature string
		covered          []string
		key              string
	}{
		"B.2.4, a response by ecdsa-p256-sha256": {
			rfcResponse(),
			`sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"`,
			`sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:`,
			[]string{"@status", "content-digest"},
			"test-key-ecc-p256",
		},
		"B.2.6, a request by ed25519": {
			rfcRequest(),
			`sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`,
			`sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:`,
			[]string{"@method", "@authority", "@path"},
			"test-key-ed25519",
		},
		"4.3, a request by ecdsa-p256-sha256": {
			rfcRequest(),
			`sig1=("@method" "@authority" "@path" "content-digest" "content-type" "content-length");created=1618884475;keyid="test-key-ecc-p256"`,
			`sig1=:X5spyd6CFnAG5QnDyHfqoSNICd+BUP4LYMz2Q0JXlb//4Ijpzp+kve2w4NIyqeAuM7jTDX+sNalzA8ESSaHD3A==:`,
			[]string{"@method", "@authority", "@path", "content-digest"},
			"test-key-ecc-p256",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.message.Header.Set("Signature-Input", test.input)
			test.message.Header.Set("Signature", test.signature)
			rules := httpsig.Rules{
				Covered: test.covered,
				MaxAge:  time.Minute,
				Now:     at,
			}
			if got, err := httpsig.Verify(test.message, rules, rfcKeys(t)); err != nil || got != test.key {
				t.Errorf("%q, %v", got, err)
			}
			test.message.Header.Set("Content-Length", "24")
			if _, err := httpsig.Verify(test.message, rules, rfcKeys(t)); err == nil {
				t.Error("a changed field is taken")
			}
		})
	}
}

// The bodies of appendix B.2, and a digest of RFC 9530, appendix D.
func TestCheckDigest_RFC(t *testing.T) {
	t.Parallel()
	const body = `{"hello": "world"}`
	for digest, body := range map[string]string{
		requestDigest:  body,
		responseDigest: `{"message": "good dog"}` + "",
		"sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:": body,
	} {
		if err := httpsig.CheckDigest(http.Header{"Content-Digest": {digest}}, []byte(body)); err != nil {
			t.Errorf("%s: %v", digest, err)
		}
	}
	if got := httpsig.Digest([]byte(body)); got != "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:" {
		t.Errorf("the digest is %s", got)
	}
}
