package people

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Sign-in attempts are limited so that guessing is slow, and so that a stranger cannot lock a member out by guessing (OWASP, Slow
// Down Online Guessing Attacks with Device Cookies):
//
//   - Each network has a budget for all attempts. It is enough for an office where many people sign in at once in the morning.
//   - A browser in which a member has signed in before has a budget of its own for that member, which nobody else can use up.
//   - Other browsers have a budget for each network and e-mail address, enough for a person's few mistakes.
//   - They also have a budget for the e-mail address over all networks. It takes many networks to use it up, and then limits
//     guesses to 28,800 a day. Meanwhile the member can sign in in a known browser, at the OpenID Connect provider, or by a link.
var (
	rateOfNetwork = ports.Rate{PerMinute: 30, Burst: 30}
	rateOfBrowser = ports.Rate{PerMinute: 2, Burst: 10} // of a known browser, or of a network for one address
	rateOfEmail   = ports.Rate{PerMinute: 20, Burst: 100}
)

// count counts an attempt and refuses it if the budget is used up.
func (s *Service) count(ctx context.Context, key string, rate ports.Rate) error {
	v := s.Limiter.Allow(ctx, key, rate)
	if v.Allowed {
		return nil
	}
	return fault.New(fault.Limited, "rate_limited", "Too many attempts to sign in. Wait before you try again.").After(v.RetryAfter)
}

func (s *Service) countClient(ctx context.Context, from Client) error {
	return s.count(ctx, "member-address "+from.network(), rateOfNetwork)
}

// countGuess counts an attempt with a password.
func (s *Service) countGuess(ctx context.Context, email string, from Client) error {
	if known, ok := s.knownBrowser(from.Device, email); ok {
		return s.count(ctx, "member-browser "+known.Name, rateOfBrowser)
	}
	// The limiter's store may be shared, so it gets a hash only.
	hashed := hex.EncodeToString(hashOf(email))
	if err := s.count(ctx, "member-network "+from.network()+" "+hashed, rateOfBrowser); err != nil {
		return err
	}
	return s.count(ctx, "member-email "+hashed, rateOfEmail)
}

func hashOf(email string) []byte {
	hash := sha256.Sum256([]byte(email))
	return hash[:]
}

// network returns the part of an address that a person can hardly choose: an IPv4 address, or the first half of an IPv6 address.
func (c Client) network() string {
	a, err := netip.ParseAddr(c.Address)
	if err != nil || a.Is4() {
		return c.Address
	}
	const half = 64
	p, err := a.WithZone("").Prefix(half)
	if err != nil {
		return c.Address
	}
	return p.String()
}

// DeviceFor is how long a browser stays known after a sign-in.
const DeviceFor = 180 * 24 * time.Hour

const devicePurpose = "browser in which a member has signed in"

// longestDevice is how many bytes of an unauthenticated caller's device cookie are unsealed at most.
const longestDevice = 512

// device is the sealed cookie of a browser in which a member has signed in. It does not authenticate anybody.
type device struct {
	Of    []byte // the hash of the member's e-mail address
	Name  string // random
	Until time.Time
}

// knownBrowser unseals a device cookie and reports whether it is valid for a member with the e-mail address.
func (s *Service) knownBrowser(kept, email string) (device, bool) {
	if kept == "" || len(kept) > longestDevice {
		return device{}, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(kept)
	if err != nil {
		return device{}, false
	}
	text, err := s.Vault.Open(sealed, devicePurpose)
	var d device
	if err != nil || json.Unmarshal(text, &d) != nil {
		return device{}, false
	}
	return d, slices.Equal(d.Of, hashOf(email)) && s.Clock.Now().Before(d.Until)
}

// deviceOf returns the new device cookie after a member's sign-in, or "" if the browser's own is still good.
func (s *Service) deviceOf(m *member.Member, from Client) string {
	now := s.Clock.Now()
	known, ok := s.knownBrowser(from.Device, m.Email)
	switch {
	case ok && now.Before(known.Until.Add(-DeviceFor/2)):
		return ""
	case !ok:
		known = device{Of: hashOf(m.Email), Name: s.Entropy.Secret(secretBytes)}
	}
	known.Until = now.Add(DeviceFor)
	text, err := json.Marshal(known)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(s.Vault.Seal(text, devicePurpose))
}
