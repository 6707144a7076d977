package signing_test

import (
	"crypto/ed25519"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/signing"
)

// The key of RFC 8037, appendix A, with the thumbprint of A.3.
func TestEd25519_RFC8037(t *testing.T) {
	t.Parallel()
	key, err := signing.ParseEd25519("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
	if err != nil {
		t.Fatal(err)
	}
	if got := key.Thumbprint(); got != "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" {
		t.Errorf("the thumbprint is %s", got)
	}
}

func TestEd25519_Verify(t *testing.T) {
	t.Parallel()
	whole := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	key := signing.Ed25519(whole.Public().(ed25519.PublicKey))
	signature := ed25519.Sign(whole, []byte("message"))
	if !key.Verify([]byte("message"), signature) {
		t.Error("its signature is refused")
	}
	if key.Verify([]byte("other"), signature) || key.Verify([]byte("message"), signature[1:]) || key.Verify([]byte("message"), nil) {
		t.Error("another signature is taken")
	}
}

func TestParsePublic(t *testing.T) {
	t.Parallel()
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	want := private(t, 1).Public()
	x, y := want.Coordinates()
	if got, err := signing.ParsePublic(x, y); err != nil || got != want {
		t.Errorf("%v, %v", got, err)
	}
	for name, c := range map[string][2]string{
		"swapped":     {y, x},
		"empty":       {"", ""},
		"short":       {x[:40], y},
		"long":        {x + "AAAA", y},
		"padded":      {x + "=", y},
		"other bits":  {x[:42] + string(alphabet[strings.IndexByte(alphabet, x[42])+1]), y}, // that are not of the number
		"no base64":   {strings.Repeat("!", 43), y},
		"no point":    {x, x},
		"all zero":    {strings.Repeat("A", 43), strings.Repeat("A", 43)},
		"above prime": {strings.Repeat("_", 42) + "8", y},
	} {
		if got, err := signing.ParsePublic(c[0], c[1]); err == nil || got != (signing.Public{}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, x := range []string{"", "AAAA", strings.Repeat("A", 44), "!"} {
		if _, err := signing.ParseEd25519(x); err == nil {
			t.Errorf("%q is a key", x)
		}
	}
}
