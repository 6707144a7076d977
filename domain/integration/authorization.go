package integration

import (
	"net/netip"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// StateLife is how long a merchant has to consent (decisions 14).
const StateLife = 600 * time.Second

// Authorization is a consent that was asked for and may be redeemed once. Its state is a secret, of which a
// hash is kept.
type Authorization struct {
	State       string // the hash of it
	Account     id.Account
	Project     id.Project
	Type        Type
	RedirectURI string
	Store       string // a shop's domain; "": the platform asks for it
	Verifier    []byte // of PKCE, sealed
	Callback    []byte // the query with which the platform sent the merchant back, sealed; nil: it has not yet
	CreatedAt   time.Time
	UsedAt      time.Time // zero: it was not
}

// Grant is what a merchant comes back with, beside the state.
type Grant struct {
	Account     id.Account
	Project     id.Project
	Type        Type
	RedirectURI string // "": the merchant does not repeat it
}

var (
	// ErrState is the answer to a state that nobody was given, that somebody else was, or that was used.
	ErrState = fault.New(fault.Malformed, "invalid_state", "The state is unknown, was used already, or is of another connection.").
			With("state", "is not valid")
	// ErrStateExpired is the answer to a state that comes too late.
	ErrStateExpired = fault.New(fault.Conflict, "state_expired", "The state has expired. Connect again.")
)

// Redeem uses the state up, for whom it belongs to.
func (a *Authorization) Redeem(g Grant, now time.Time) error {
	if a.Account != g.Account || a.Project != g.Project || a.Type != g.Type || g.RedirectURI != "" && g.RedirectURI != a.RedirectURI {
		return ErrState
	}
	if err := a.Open(now); err != nil {
		return err
	}
	a.UsedAt = now
	return nil
}

// Open is nil while the state can be used: ErrState after it was, ErrStateExpired after its life.
func (a *Authorization) Open(now time.Time) error {
	switch {
	case !a.UsedAt.IsZero():
		return ErrState
	case !now.Before(a.CreatedAt.Add(StateLife)):
		return ErrStateExpired
	}
	return nil
}

// CheckRedirect judges where a platform is to send the merchant back to.
func CheckRedirect(c fault.Check, address string) {
	u, err := url.Parse(address)
	switch {
	case !c.That(address != "", "redirect_uri", "is required"):
	case !c.That(err == nil && u.Host != "" && len(address) <= 2000, "redirect_uri", "must be an https URL, or an http URL of this machine"):
	case !c.That(u.User == nil && u.Fragment == "", "redirect_uri", "must have no user and no fragment"):
	default:
		c.That(u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()), "redirect_uri",
			"must be an https URL, or an http URL of this machine")
	}
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}
