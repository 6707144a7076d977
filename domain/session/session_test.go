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

func TestSession_Status_end(t *testing.T) {
	t.Parallel()
	s := open()
	if s.Status(minutes(31).Add(-1)) != session.Active || s.Status(minutes(31)) != session.Expired || !s.ExpiresAt.Equal(minutes(30)) {
		t.Errorf("ends at %s", s.ExpiresAt)
	}
	if session.Active.String() != "active" {
		t.Errorf("the contract's active is %s", session.Active)
	}
}

func TestTouch(t *testing.T) {
	t.Parallel()
	s := open()
	touch := func(claims *session.Claims, timeout time.Duration, now time.Time, want session.Touched) {
		t.Helper()
		if got, err := s.Touch(claims, timeout, now); err != nil || got != want {
			t.Errorf("at %s: %+v, %v, want %+v", now, got, err, want)
		}
	}
	touch(nil, timeout, minutes(20), session.Touched{Time: true})
	if !s.ExpiresAt.Equal(minutes(50)) || !s.LastActivity.Equal(minutes(20)) || s.Claims.LoyaltyTier != "gold" {
		t.Errorf("without claims it became %+v", s)
	}
	touch(&session.Claims{Urgency: "flexible"}, timeout, minutes(20).Add(1), session.Touched{Time: true, Claims: true})
	if s.Claims != (session.Claims{Urgency: "flexible"}) || !s.LastActivity.Equal(minutes(20).Add(1)) {
		t.Errorf("with claims it became %+v", s)
	}
	known := session.Member{Tier: "gold", Purchases: 3}
	for _, claims := range []session.Claims{{Member: known}, {Urgency: "high"}} {
		touch(&claims, timeout, minutes(21), session.Touched{Time: true, Claims: true})
		if s.Claims.Member != known || s.Claims.Urgency != claims.Urgency {
			t.Errorf("a buyer whom the merchant vouched for: %+v", s.Claims)
		}
	}
	touch(nil, 5*time.Minute, minutes(22), session.Touched{Time: true})
	if !s.ExpiresAt.Equal(minutes(51)) {
		t.Errorf("a shorter timeout moved the end to %s", s.ExpiresAt)
	}
}

// A request within a minute of the last stored one changes nothing, and the session lives as long after it as after any
// other.
func TestSession_Touch_onceAMinute(t *testing.T) {
	t.Parallel()
	s := open()
	before := *s
	for _, after := range []time.Duration{-time.Second, 0, 1, time.Minute - 1} { // the clock may be behind that of the previous request
		now := noon.Add(after)
		same := s.Claims
		if touched, err := s.Touch(&same, timeout, now); err != nil || touched.Any() || *s != before {
			t.Errorf("after %s: %+v, %v, %+v", after, touched, err, s)
		}
		if s.Status(now.Add(timeout-1)) != session.Active {
			t.Errorf("after %s it does not live for %s", after, timeout)
		}
	}
	if touched, err := s.Touch(nil, timeout, noon.Add(time.Minute)); err != nil || touched != (session.Touched{Time: true}) || !s.ExpiresAt.Equal(minutes(31)) {
		t.Errorf("after a minute: %+v, %v, until %s", touched, err, s.ExpiresAt)
	}
	longer := open()
	if touched, err := longer.Touch(nil, timeout+2*time.Minute, noon.Add(1)); err != nil || !touched.Time || !longer.ExpiresAt.Equal(minutes(32).Add(1)) {
		t.Errorf("with a longer timeout: %+v, %v, until %s", touched, err, longer.ExpiresAt)
	}
}

// Each request keeps a session active for its timeout, whatever the intervals between requests are.
func TestSession_Touch_timeout(t *testing.T) {
	t.Parallel()
	s := open()
	for now, n := noon, 1; now.Before(s.End()); now, n = now.Add(time.Duration(n*7%90)*time.Second), n+1 {
		if _, err := s.Touch(nil, timeout, now); err != nil {
			t.Fatalf("at %s: %v", now, err)
		}
		for _, later := range []time.Time{now.Add(timeout - 1), s.ExpiresAt.Add(-1)} {
			if s.Status(later) != session.Active && later.Before(s.End()) {
				t.Fatalf("touched at %s, it is over at %s", now, later)
			}
		}
		if now.Sub(s.LastActivity) >= session.Grace {
			t.Fatalf("at %s it was last active at %s", now, s.LastActivity)
		}
	}
	if s.Status(s.End()) != session.Expired {
		t.Error("it outlives its day")
	}
}

func TestAwaitUse(t *testing.T) {
	t.Parallel()
	s := open()
	if s.Used() {
		t.Error("a session is used when it is opened")
	}
	s.AwaitUse()
	touched, err := s.Touch(nil, timeout, noon) // within a millisecond of the opening, the resolution of the database
	if err != nil || !touched.Time || !s.Used() || !s.LastActivity.Equal(noon.Add(time.Millisecond)) {
		t.Errorf("the first request: %+v, %v, used: %v, noted at %s", touched, err, s.Used(), s.LastActivity)
	}
	if touched, err := s.Touch(nil, timeout, noon.Add(2)); err != nil || touched.Any() {
		t.Errorf("the second request: %+v, %v", touched, err)
	}
}

func TestKeepUntil(t *testing.T) {
	t.Parallel()
	s := open()
	if changed := s.KeepUntil(minutes(20)); changed || !s.ExpiresAt.Equal(minutes(30)) {
		t.Errorf("a shorter promise moved the end to %s", s.ExpiresAt)
	}
	if changed := s.KeepUntil(minutes(40)); !changed || !s.ExpiresAt.Equal(minutes(40)) || !s.LastActivity.Equal(noon) {
		t.Errorf("until %s, last active %s", s.ExpiresAt, s.LastActivity)
	}
}

// Requests and negotiations extend a session, but not past 24 hours after its creation.
func TestSession_Touch_atMostADay(t *testing.T) {
	t.Parallel()
	s := open()
	end := noon.Add(24 * time.Hour)
	for now := noon; now.Before(end); now = now.Add(20 * time.Minute) {
		if _, err := s.Touch(nil, timeout, now); err != nil {
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
	if _, err := s.Touch(nil, timeout, end); !errors.Is(err, session.ErrExpired) {
		t.Errorf("after a day: %v", err)
	}
}

// An expired session refuses every verb, and none changes it.
func TestSession_expiredUnchanged(t *testing.T) {
	t.Parallel()
	s := open()
	before := *s
	_, touch := s.Touch(&session.Claims{Urgency: "high"}, timeout, minutes(31))
	extend := s.Extend(10, minutes(31))
	invalid := s.Extend(0, minutes(31))
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

func TestValue(t *testing.T) {
	t.Parallel()
	item := func(variant byte, quantity int, cents int64) session.CartItem {
		return session.CartItem{
			Variant:  id.New[id.Variant]([16]byte{variant}),
			Quantity: quantity,
			Price:    money.Of(cents, money.USD),
		}
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
