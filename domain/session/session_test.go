package session_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/session"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

const timeout = 30 * time.Minute

func open() *session.Session {
	return session.Open(id.New[id.Session]([16]byte{1}), id.New[id.Project]([16]byte{2}), session.Claims{LoyaltyTier: "gold"}, timeout, noon)
}

func minutes(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

func TestSessionLivesUntilItsEnd(t *testing.T) {
	t.Parallel()
	s := open()
	if s.Status(minutes(30).Add(-1)) != session.Active || s.Status(minutes(30)) != session.Expired {
		t.Errorf("ends at %s", s.ExpiresAt)
	}
	if session.Active.String() != "active" {
		t.Errorf("the contract's active is %s", session.Active)
	}
}

func TestTouch(t *testing.T) {
	t.Parallel()
	s := open()
	if err := s.Touch(nil, timeout, minutes(20)); err != nil || !s.ExpiresAt.Equal(minutes(50)) || !s.LastActivity.Equal(minutes(20)) {
		t.Errorf("until %s, last active %s (%v)", s.ExpiresAt, s.LastActivity, err)
	}
	if s.Claims.LoyaltyTier != "gold" {
		t.Error("a request without claims took them back")
	}
	if err := s.Touch(&session.Claims{Urgency: "flexible"}, timeout, minutes(21)); err != nil || s.Claims != (session.Claims{Urgency: "flexible"}) {
		t.Errorf("claims %+v (%v)", s.Claims, err)
	}
	known := session.Member{Tier: "gold", Purchases: 3}
	for _, claims := range []session.Claims{{Member: known}, {Urgency: "high"}} {
		if err := s.Touch(&claims, timeout, minutes(21)); err != nil || s.Claims.Member != known || s.Claims.Urgency != claims.Urgency {
			t.Errorf("a buyer whom the merchant vouched for: %+v (%v)", s.Claims, err)
		}
	}
	if err := s.Touch(nil, 5*time.Minute, minutes(22)); err != nil || !s.ExpiresAt.Equal(minutes(51)) {
		t.Errorf("a shorter timeout moved the end to %s (%v)", s.ExpiresAt, err)
	}
}

func TestKeepUntil(t *testing.T) {
	t.Parallel()
	s := open()
	if s.KeepUntil(minutes(20)); !s.ExpiresAt.Equal(minutes(30)) {
		t.Errorf("a shorter promise moved the end to %s", s.ExpiresAt)
	}
	if s.KeepUntil(minutes(40)); !s.ExpiresAt.Equal(minutes(40)) || !s.LastActivity.Equal(noon) {
		t.Errorf("until %s, last active %s", s.ExpiresAt, s.LastActivity)
	}
}

// Reading and haggling extend a session, but not past 24 hours after its creation.
func TestNothingExtendsASessionForEver(t *testing.T) {
	t.Parallel()
	s := open()
	end := noon.Add(24 * time.Hour)
	for now := noon; now.Before(end); now = now.Add(20 * time.Minute) {
		if err := s.Touch(nil, timeout, now); err != nil {
			t.Fatalf("at %s: %v", now, err)
		}
		s.KeepUntil(now.Add(15 * time.Minute))
		if s.ExpiresAt.After(end) {
			t.Fatalf("at %s it ends at %s", now, s.ExpiresAt)
		}
	}
	if s.KeepUntil(end.Add(time.Minute)); !s.ExpiresAt.Equal(end) || !s.End().Equal(end) {
		t.Errorf("it ends at %s", s.ExpiresAt)
	}
	if err := s.Touch(nil, timeout, end); !errors.Is(err, session.ErrExpired) {
		t.Errorf("after a day: %v", err)
	}
}

func TestPastSessionRefusesEverythingUnchanged(t *testing.T) {
	t.Parallel()
	s := open()
	before := *s
	touch := s.Touch(&session.Claims{Urgency: "high"}, timeout, minutes(30))
	extend := s.Extend(10, minutes(30))
	invalid := s.Extend(0, minutes(30))
	for _, err := range []error{touch, extend, invalid} {
		if !errors.Is(err, session.ErrExpired) || fault.KindOf(err) != fault.Conflict {
			t.Errorf("got %v", err)
		}
	}
	if *s != before {
		t.Errorf("%+v became %+v", before, *s)
	}
}

func TestExtend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		by int
		ok bool
	}{{-1, false}, {0, false}, {1, true}, {60, true}, {1410, true}, {1411, false}, {1440, false}, {1441, false}, {1 << 40, false}} {
		s := open() // ends after 30 of the 1,440 minutes it can have
		before := *s
		err := s.Extend(c.by, minutes(1))
		if c.ok && (err != nil || !s.ExpiresAt.Equal(minutes(30+c.by)) || !s.LastActivity.Equal(minutes(1))) {
			t.Errorf("by %d minutes: until %s (%v)", c.by, s.ExpiresAt, err)
		}
		var e *fault.Error
		if !c.ok && (!errors.As(err, &e) || e.Details[0].Field != "duration_minutes" || *s != before) {
			t.Errorf("by %d minutes: %v", c.by, err)
		}
	}
}

func TestValueOfACart(t *testing.T) {
	t.Parallel()
	item := func(variant byte, quantity int, cents int64) session.CartItem {
		return session.CartItem{Variant: id.New[id.Variant]([16]byte{variant}), Quantity: quantity, Price: money.Of(cents, money.USD)}
	}
	foreign := item(4, 1, 1)
	foreign.Price = money.Of(5, money.Currency{})
	cart := []session.CartItem{item(1, 2, 1_000), item(2, 3, 500), foreign}
	for except, want := range map[byte]int64{1: 1_500, 2: 2_000, 3: 3_500} {
		if got := session.Value(cart, id.New[id.Variant]([16]byte{except}), money.USD); got != money.Of(want, money.USD) {
			t.Errorf("besides variant %d: %s, want %d", except, got, want)
		}
	}
}
