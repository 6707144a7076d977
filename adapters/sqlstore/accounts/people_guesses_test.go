package accounts_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// buckets admits by the rates, by the fixture's clock.
type buckets struct {
	ports.Limiter
	now    func() time.Time
	levels map[string]level
}

type level struct {
	left float64
	at   time.Time
}

func (b *buckets) Allow(_ context.Context, key string, r ports.Rate) ports.Verdict {
	now := b.now()
	l, known := b.levels[key]
	if !known {
		l = level{left: float64(r.Burst), at: now}
	}
	l.left = min(float64(r.Burst), l.left+now.Sub(l.at).Minutes()*float64(r.PerMinute))
	l.at = now
	allowed := l.left >= 1
	if allowed {
		l.left--
	}
	b.levels[key] = l
	wait := time.Duration((1 - l.left) / float64(r.PerMinute) * float64(time.Minute))
	return ports.Verdict{Allowed: allowed, RetryAfter: wait}
}

// counted limits attempts as a server does.
func (h *accessSetup) counted() {
	h.people.Limiter = &buckets{now: h.outside.Now, levels: map[string]level{}}
}

func (h *accessSetup) tries(email, password, address, device string) (people.SignedIn, error) {
	return h.people.SignIn(h.Context(), email, password, people.Client{Address: address, Device: device})
}

func strangerGuesses(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Owner})
	h.counted()
	guess := func(n int, address, want string) {
		h.Helper()
		for i := range n {
			_, err := h.tries(in.Member.Email, fmt.Sprint("guess ", i), address, "")
			h.wants("a guess from "+address, err, want)
		}
	}
	guess(10, "198.51.100.1", "sign_in_refused")
	guess(1, "198.51.100.1", "rate_limited")
	_, err := h.tries(in.Member.Email, password, "198.51.100.1", "")
	h.wants("the right password from there", err, "rate_limited")
	_, err = h.tries(in.Member.Email, password, "192.0.2.8", "")
	h.wants("the member from elsewhere", err, "")
	h.later(1)
	guess(1, "198.51.100.1", "sign_in_refused")
	guess(1, "198.51.100.1", "rate_limited")
	for i := range 10 {
		guess(1, fmt.Sprintf("2001:db8:1:2:%x::1", i), "sign_in_refused")
	}
	guess(1, "2001:db8:1:2:ffff::1", "rate_limited")
	guess(1, "2001:db8:1:3::1", "sign_in_refused")
	if _, err := h.tries("nobody@example.com", password, "198.51.100.1", ""); !fault.Is(err, "sign_in_refused") {
		h.Errorf("another e-mail address: %v", err)
	}
}

func manyNetworks(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Owner})
	h.counted()
	mine, err := h.tries(in.Member.Email, password, "192.0.2.8", "")
	h.wants("the first sign-in", err, "")
	for i := range 110 {
		_, err = h.tries(in.Member.Email, "guess", fmt.Sprintf("198.51.100.%d", i), "")
	}
	h.wants("the last of many guesses", err, "rate_limited")
	if after := err.(*fault.Error).RetryAfter; after <= 0 || after > 3*time.Second {
		h.Errorf("it is slowed down by %s", after)
	}
	_, err = h.tries(in.Member.Email, password, "192.0.2.9", "")
	h.wants("the member in a new browser", err, "rate_limited")
	_, err = h.tries(in.Member.Email, password, "192.0.2.9", mine.Device)
	h.wants("the member in a known one, elsewhere", err, "")
	h.later(1)
	_, err = h.tries(in.Member.Email, password, "192.0.2.9", "")
	h.wants("the member in a new one, half a minute later", err, "")
}

func knownBrowser(h *accessSetup) {
	in, other := h.joined("ada", member.Grant{Role: member.Owner}), h.joined("grace", member.Grant{Role: member.Owner})
	if in.Device == "" || strings.Contains(in.Device, in.Member.Email) {
		h.Errorf("after joining the browser keeps %q", in.Device)
	}
	h.counted()
	for range 10 {
		_, err := h.tries(in.Member.Email, "guess", "192.0.2.8", in.Device)
		h.wants("a mistake", err, "sign_in_refused")
	}
	_, err := h.tries(in.Member.Email, password, "192.0.2.8", in.Device)
	h.wants("one more", err, "rate_limited")
	again, err := h.tries(in.Member.Email, password, "192.0.2.8", other.Device)
	h.wants("with another member's", err, "")
	if again.Device == "" {
		h.Error("another member's browser is not known from now on")
	}
	for what, kept := range map[string]string{"nonsense": "x", "a long one": strings.Repeat("x", 600)} {
		if again, err = h.tries(in.Member.Email, password, "192.0.2.8", kept); err != nil || again.Device == "" {
			h.Errorf("%s: %v", what, err)
		}
	}
	if again, err = h.tries(other.Member.Email, password, "192.0.2.8", other.Device); err != nil || again.Device != "" {
		h.Errorf("a known browser is given %q, %v", again.Device, err)
	}
	h.outside.step.Add(100 * 24 * 120)
	if again, err = h.tries(other.Member.Email, password, "192.0.2.8", other.Device); err != nil || again.Device == "" {
		h.Errorf("after 100 days it is given nothing: %v", err)
	}
	h.outside.step.Add(181 * 24 * 120)
	for range 10 {
		_, err = h.tries(other.Member.Email, "guess", "192.0.2.8", "")
		h.wants("a guess", err, "sign_in_refused")
	}
	_, err = h.tries(other.Member.Email, password, "192.0.2.8", other.Device)
	h.wants("from a browser that is known no more", err, "rate_limited")
	h.later(10)
	h.enrolledMember(h.signedIn(other.Member.Email))
	due, err := h.tries(other.Member.Email, password, "192.0.2.8", "")
	if err != nil || !due.Session.CodeDue || due.Device != "" {
		h.Errorf("before the code the browser keeps %q, %v", due.Device, err)
	}
}

// signedIn has signed in now.
func (h *accessSetup) signedIn(email string) people.SignedIn {
	h.Helper()
	in, err := h.tries(email, password, "192.0.2.8", "")
	if err != nil {
		h.Fatal(err)
	}
	return in
}

func guessesLogged(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Owner})
	h.enrolledMember(in)
	h.counted()
	blocked := func() (said []string) {
		h.Helper()
		if err := h.people.RecordBlocked(h.Context()); err != nil {
			h.Error(err)
		}
		for _, e := range h.logged() {
			if e.Action == audit.Blocked {
				said = append(said, e.Address+" "+e.After)
			}
			if e.Action == audit.Blocked && (e.Target != in.Member.ID.String() || e.Member != (id.Member{}) || e.Key != (id.APIKey{})) {
				h.Errorf("the event is %+v", e)
			}
		}
		return said
	}
	guess := func() {
		for range 12 {
			_, _ = h.tries(in.Member.Email, "guess", "198.51.100.1", "")
			_, _ = h.tries("nobody@example.com", "guess", "198.51.100.2", "")
		}
	}
	if said := blocked(); len(said) != 0 {
		h.Errorf("logged %q", said)
	}
	guess()
	guess()
	for range 2 {
		if said := blocked(); len(said) != 1 || said[0] != `198.51.100.1 {"by":"password"}` {
			h.Errorf("logged %q", said)
		}
	}
	guess()
	if said := blocked(); len(said) != 1 {
		h.Errorf("within the hour: logged %q", said)
	}
	h.later(121)
	guess()
	if said := blocked(); len(said) != 2 {
		h.Errorf("an hour later: logged %q", said)
	}
	h.later(121)
	due, err := h.tries(in.Member.Email, password, "192.0.2.8", "")
	h.wants("the right password", err, "")
	for range 8 {
		_, err = h.people.Prove(h.Context(), due.Token, "7", people.Client{Address: "192.0.2.8"})
	}
	h.wants("too many codes", err, "rate_limited")
	if said := blocked(); len(said) != 3 || said[0] != `192.0.2.8 {"by":"code"}` {
		h.Errorf("logged %q", said)
	}
}

func lostFactor(h *accessSetup) {
	owner, support := h.joined("ada", member.Grant{Role: member.Owner}), h.joined("grace", member.Grant{Role: member.Support})
	byOwner, bySupport := by(h.caller(owner.Token)), by(h.caller(support.Token))
	reset := func(by people.Actor, of people.SignedIn, code string) error {
		_, err := h.people.ResetFactor(h.Context(), by, of.Member.ID, code)
		return err
	}
	h.wants("of a member who has none", reset(byOwner, support, h.code(0)), "mfa_not_enrolled")
	h.enrolledMember(support)
	h.wants("by an owner who has none", reset(byOwner, support, h.code(0)), "mfa_required")
	h.wants("by support", reset(bySupport, owner, h.code(0)), "insufficient_scope")
	h.later(1)
	h.enrolledMember(owner)
	h.wants("without a code", reset(byOwner, support, ""), "mfa_required")
	h.wants("their own", reset(byOwner, owner, h.code(0)), "own_mfa")
	h.caller(support.Token)
	h.wants("with the owner's code", reset(byOwner, support, h.code(0)), "")
	h.stranger("a session from before", support.Token)
	in, err := h.people.SignIn(h.Context(), support.Member.Email, password, browser)
	if err != nil || in.Session.CodeDue {
		h.Errorf("a code is due still: %v", err)
	}
	h.caller(owner.Token)
}

func lastOwnersFactor(h *accessSetup) {
	in := h.joined("ada", member.Grant{Role: member.Owner})
	h.wants("without one", h.people.ResetFactorFor(h.Context(), in.Member), "mfa_not_enrolled")
	h.enrolledMember(in)
	h.wants("the last owner's", h.people.ResetFactorFor(h.Context(), in.Member), "")
	h.stranger("a session from before", in.Token)
	if e := h.logged()[0]; e.Action != audit.ResetFactor || e.Target != in.Member.ID.String() || e.Member != (id.Member{}) || e.After != "" {
		h.Errorf("the event is %+v", e)
	}
}
