package buyers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	shop  = id.New[id.Project]([16]byte{1})
	other = id.New[id.Project]([16]byte{2})
)

// fixture is the store of a shop with one customer, the vault and the clock.
type fixture struct {
	ports.ExternalRecordReader
	now      time.Time
	customer syncrun.Customer
	err      error
}

func (d *fixture) Now() time.Time { return d.now }

func (d *fixture) Customer(_ context.Context, p id.Project, email string) (*syncrun.Customer, error) {
	if d.err != nil || p != shop || email != d.customer.Email {
		return nil, d.err
	}
	return &d.customer, nil
}

func (d *fixture) Seal(plain []byte, purpose string) []byte {
	return []byte(purpose + "|" + string(plain) + "|sealed")
}

func (d *fixture) Open(sealed []byte, purpose string) ([]byte, error) {
	plain, ours := strings.CutPrefix(string(sealed), purpose+"|")
	plain, whole := strings.CutSuffix(plain, "|sealed")
	if !ours || !whole {
		return nil, errors.New("sealed for another purpose, or damaged")
	}
	return []byte(plain), nil
}

func open() (*fixture, *buyers.Service) {
	d := &fixture{
		now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC),
		customer: syncrun.Customer{
			Email:     "ada@example.com",
			Tier:      "Gold",
			Purchases: 12,
		},
	}
	return d, &buyers.Service{
		Stores: &ports.Stores{
			ExternalRecords: d,
		},
		Vault: d,
		Clock: d,
	}
}

// Recognize returns what the store knows now, not what it knew when the token was issued.
func TestVouch_recognized(t *testing.T) {
	t.Parallel()
	d, s := open()
	token, err := s.Vouch(t.Context(), shop, "Ada@Example.com", 0)
	gold := session.Member{Tier: "Gold", Purchases: 12}
	if err != nil || token.Member != gold || !token.Expires.Equal(d.now.Add(time.Hour)) || !strings.HasPrefix(token.Text, "bt_") {
		t.Fatalf("%+v, %v", token, err)
	}
	if got, err := s.Recognize(t.Context(), shop, token.Text); err != nil || got != gold {
		t.Errorf("%+v, %v", got, err)
	}
	d.customer.Tier = "platinum"
	if got, _ := s.Recognize(t.Context(), shop, token.Text); got.Tier != "platinum" {
		t.Error("a token freezes what is known")
	}
	d.customer.Email = ""
	if got, err := s.Recognize(t.Context(), shop, token.Text); err != nil || got != (session.Member{}) {
		t.Errorf("who is no customer any more: %+v, %v", got, err)
	}
	d.err = errors.New("the database is away")
	if _, err := s.Recognize(t.Context(), shop, token.Text); !errors.Is(err, d.err) {
		t.Errorf("%v", err)
	}
}

func TestRecognize_badToken(t *testing.T) {
	t.Parallel()
	d, s := open()
	token, err := s.Vouch(t.Context(), shop, "ada@example.com", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := s.Vouch(t.Context(), other, "ada@example.com", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"another project's": elsewhere.Text, "cut": token.Text[:len(token.Text)-4], "unmarked": token.Text[3:], "none": "bt_",
		"no base64": "bt_%%%", "long": "bt_" + strings.Repeat("a", 2_000), "the address": "ada@example.com",
	} {
		if got, err := s.Recognize(t.Context(), shop, text); fault.KindOf(err) != fault.Invalid || got != (session.Member{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	d.now = token.Expires.Add(-time.Millisecond)
	if _, err := s.Recognize(t.Context(), shop, token.Text); err != nil {
		t.Errorf("in its last moment: %v", err)
	}
	d.now = token.Expires
	if _, err := s.Recognize(t.Context(), shop, token.Text); fault.KindOf(err) != fault.Invalid {
		t.Errorf("expired: %v", err)
	}
}

func TestVouch_invalid(t *testing.T) {
	t.Parallel()
	_, s := open()
	for _, c := range []struct {
		email string
		life  time.Duration
		field string
	}{
		{"", 0, "email"}, {"ada", 0, "email"}, {"Ada <ada@example.com>", 0, "email"}, {strings.Repeat("a", 250) + "@example.com", 0, "email"},
		{"ada@example.com", time.Second, "expires_in"}, {"ada@example.com", -time.Hour, "expires_in"},
		{"ada@example.com", 24*time.Hour + time.Second, "expires_in"},
	} {
		_, err := s.Vouch(t.Context(), shop, c.email, c.life)
		var known *fault.Error
		if !errors.As(err, &known) || len(known.Details) != 1 || known.Details[0].Field != c.field {
			t.Errorf("%q for %s: %v", c.email, c.life, err)
		}
	}
}
