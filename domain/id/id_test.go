package id_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/id"
)

func bits() *rapid.Generator[[16]byte] {
	return rapid.Custom(func(t *rapid.T) (b [16]byte) {
		copy(b[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bits"))
		return b
	})
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// decode decodes 26 characters of base32, independently of the encoder: 128 bits and two of padding.
func decode(t *rapid.T, text string) (bits [16]byte) {
	n := new(big.Int)
	for _, c := range text {
		digit := strings.IndexRune(alphabet, c)
		if digit < 0 {
			t.Fatalf("%q is not of the alphabet", c)
		}
		n.Or(n.Lsh(n, 5), big.NewInt(int64(digit)))
	}
	if n.Bit(0)+n.Bit(1) != 0 {
		t.Fatalf("%q has bits in its padding", text)
	}
	n.Rsh(n, 2).FillBytes(bits[:])
	return bits
}

func TestNew_roundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		random := bits().Draw(t, "random")
		quote := id.New[id.Quote](random)
		body, ok := strings.CutPrefix(quote.String(), "quote_")
		if !ok || len(body) != 26 || decode(t, body) != random {
			t.Fatalf("%q is not the id of these bits", quote)
		}
		if parsed, err := id.Parse[id.Quote](quote.String()); err != nil || parsed != quote {
			t.Fatalf("%q is parsed as %q, %v", quote, parsed, err)
		}
		if id.Stored[id.Quote](quote.String()) != quote || quote.IsZero() {
			t.Fatalf("%q is not what was stored", quote)
		}
	})
}

func TestNew_prefixes(t *testing.T) {
	t.Parallel()
	var b [16]byte
	for prefix, text := range map[string]string{
		"acct_": id.New[id.Account](b).String(), "key_": id.New[id.APIKey](b).String(), "proj_": id.New[id.Project](b).String(),
		"prod_": id.New[id.Product](b).String(), "var_": id.New[id.Variant](b).String(), "sess_": id.New[id.Session](b).String(),
		"quote_": id.New[id.Quote](b).String(), "chk_": id.New[id.Checkout](b).String(), "ord_": id.New[id.Order](b).String(),
		"pay_": id.New[id.Payment](b).String(), "ret_": id.New[id.Return](b).String(), "evt_": id.New[id.Event](b).String(),
		"dec_": id.New[id.Decision](b).String(), "akey_": id.New[id.AgentKey](b).String(),
	} {
		if text != prefix+strings.Repeat("0", 26) {
			t.Errorf("%s, want the prefix %s", text, prefix)
		}
	}
}

func TestParse_malformed(t *testing.T) {
	t.Parallel()
	good := id.New[id.Order]([16]byte{1, 2, 3}).String()
	for _, text := range []string{
		"", "ord_", good[:len(good)-1], good + "0", strings.ToUpper(good), " " + good, good + "\n", strings.TrimPrefix(good, "ord_"),
		"pay_" + strings.TrimPrefix(good, "ord_"), "ord_" + good, good[:10] + "i" + good[11:], good[:10] + "u" + good[11:],
		good[:10] + "\x00" + good[11:], good[:10] + "é" + good[12:], good[:10] + "%" + good[11:],
	} {
		if got, err := id.Parse[id.Order](text); !errors.Is(err, id.ErrMalformed) || !got.IsZero() {
			t.Errorf("%q is parsed as %q, %v", text, got, err)
		}
	}
}

func TestStored_empty(t *testing.T) {
	t.Parallel()
	if !id.Stored[id.Order]("").IsZero() || (id.Order{}) != id.Stored[id.Order]("") || (id.Order{}).String() != "" {
		t.Error("empty text is not the zero id")
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	// The digest of "abc" in FIPS 180-2, appendix B.1.
	if got := id.Hash("abc"); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("got %s", got)
	}
}

func TestNegotiationOf(t *testing.T) {
	t.Parallel()
	session, other := id.New[id.Session]([16]byte{1}), id.New[id.Session]([16]byte{2})
	name := id.NegotiationOf(session)
	if parsed, err := id.Parse[id.Negotiation](name.String()); err != nil || parsed != name || name != id.NegotiationOf(session) {
		t.Errorf("%q is not always the same id, %v", name, err)
	}
	if name == id.NegotiationOf(other) || strings.TrimPrefix(name.String(), "neg_") == strings.TrimPrefix(session.String(), "sess_") {
		t.Errorf("%s names %s", name, session)
	}
	if !id.NegotiationOf(id.Session{}).IsZero() {
		t.Error("no session has a name")
	}
}

func TestUUID_hasTheSameBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := bits().Draw(t, "bits")
		text := id.New[id.Event](want).UUID()
		got, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		if err != nil || !bytes.Equal(got, want[:]) || !regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString(text) {
			t.Fatalf("%x becomes %s, %v", want, text, err)
		}
	})
	for _, other := range []id.Event{{}, id.Stored[id.Event]("evt_1"), id.Stored[id.Event]("evt_" + strings.Repeat("u", 26))} {
		if text := other.UUID(); text != "" {
			t.Errorf("%s becomes %s", other, text)
		}
	}
}
