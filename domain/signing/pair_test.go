package signing_test

import (
	"bytes"
	"encoding/asn1"
	"encoding/base64"
	"math/big"
	"testing"
	"testing/quick"

	"github.com/haggle-commerce/haggle/domain/signing"
)

// The key of RFC 7515, appendix A.3, and the signature that the RFC shows.
func TestVerify_RFC7515(t *testing.T) {
	t.Parallel()
	decode := func(text string) []byte {
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	const x, y = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
	key, err := signing.ParsePrivate(decode("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"))
	if err != nil {
		t.Fatal(err)
	}
	if gotX, gotY := key.Public().Coordinates(); gotX != x || gotY != y {
		t.Errorf("the public part is %s, %s", gotX, gotY)
	}
	message := []byte("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ")
	signature := decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
	if !key.Public().Verify(message, signature) {
		t.Error("the RFC's signature is refused")
	}
	// Computed by another program from the same key.
	if got := key.Public().Thumbprint(); got != "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U" {
		t.Errorf("the thumbprint is %s", got)
	}
}

// RFC 6979, appendix A.2.5, has the signature of a known message.
func TestSign_RFC6979(t *testing.T) {
	t.Parallel()
	number := func(text string) []byte {
		n, _ := new(big.Int).SetString(text, 16)
		return n.FillBytes(make([]byte, 32))
	}
	key, err := signing.ParsePrivate(number("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := key.Sign([]byte("sample"))
	want := append(number("EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"),
		number("F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")...)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x (%v)", got, err)
	}
}

// A signature verifies for its message and key only: not if any bit is changed, nor with another key.
func TestSign_quick(t *testing.T) {
	t.Parallel()
	one, other := private(t, 1), private(t, 2)
	if err := quick.Check(func(message []byte, bit uint) bool {
		signature, err := one.Sign(message)
		if err != nil || !one.Public().Verify(message, signature) || other.Public().Verify(message, signature) {
			return false
		}
		signature[bit%signing.SignatureSize] ^= 1 << (bit % 8)
		return !one.Public().Verify(message, signature)
	}, &quick.Config{MaxCount: 50}); err != nil {
		t.Error(err)
	}
}

// Only r and s are a valid signature, not their DER form, and a point off the curve is not a valid key.
func TestVerify_refuses(t *testing.T) {
	t.Parallel()
	key, message := private(t, 1), []byte("message")
	signature, err := key.Sign(message)
	if err != nil {
		t.Fatal(err)
	}
	der, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])})
	if err != nil {
		t.Fatal(err)
	}
	if key.Public().Verify(message, der) {
		t.Error("a DER signature is taken")
	}
	if key.Public().Verify(message, make([]byte, signing.SignatureSize)) || key.Public().Verify(message, nil) {
		t.Error("an empty signature is taken")
	}
	if (signing.Public{}).Verify(message, signature) {
		t.Error("a point off the curve is a key")
	}
}

func TestParsePrivate_refuses(t *testing.T) {
	t.Parallel()
	for _, raw := range [][]byte{nil, make([]byte, 32), bytes.Repeat([]byte{255}, 32), make([]byte, 33)} {
		if _, err := signing.ParsePrivate(raw); err == nil {
			t.Errorf("%x is a key", raw)
		}
	}
}
