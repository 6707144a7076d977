package integration

import (
	"net/netip"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// StateLife is how long a merchant has to consent.
const StateLife = 600 * time.Second

// Authorization is a requested OAuth consent, which can be redeemed once. Its state is a secret and stored only as a
// hash.
type Authorization struct {
	State       string // the hash of it
	Account     id.Account
	Project     id.Project
	Type        Type
	RedirectURI string
	Store       string // the shop's domain; "": the platform asks for it
	Verifier    []byte // the PKCE verifier, encrypted
	Callback    []byte // the query of the platform's redirect back, encrypted; nil: not yet
	CreatedAt   time.Time
	UsedAt      time.Time // zero: not used
}

// Grant is the data that a merchant returns with besides the state.
type Grant struct {
	Account     id.Account
	Project     id.Project
	Type        Type
	RedirectURI string // "": not repeated
}

var (
	// ErrState refuses a state that was never issued, was issued for another grant, or was used.
	ErrState = fault.New(fault.Malformed, "invalid_state", "The state is unknown, has been used, or belongs to another connection. Connect again.").
			With("state", "is not valid")
	// ErrStateExpired refuses a state after StateLife.
	ErrStateExpired = fault.New(fault.Conflict, "state_expired", "The state has expired. Connect again.")
)

// Redeem uses the state up, if it was issued for the grant.
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

// Open returns nil while the state can be used, ErrState after it was used, and ErrStateExpired after StateLife.
func (a *Authorization) Open(now time.Time) error {
	switch {
	case !a.UsedAt.IsZero():
		return ErrState
	case !now.Before(a.CreatedAt.Add(StateLife)):
		return ErrStateExpired
	}
	return nil
}

// CheckRedirect checks the URL that a platform redirects the merchant back to.
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
