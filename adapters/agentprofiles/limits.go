// How many profiles are fetched in a second, for all clients and for one.

package agentprofiles

import (
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// spent is the error of a request for a profile by a client whose share is used up.
type spent struct{ asker string }

func (spent) Error() string { return "agentprofiles: the client's share is used up" }

// overloaded returns an error that asks the client to retry in a second.
func overloaded() *fault.Error {
	return fault.New(fault.Unavailable, "overloaded", "Too many agents' profiles are being looked for. Try again.").After(time.Second)
}

// admit enforces the request rates. A profile that was read before does not count toward the strangers' rate.
func (p *Profiles) admit(address, asker string) error {
	now := p.Now()
	p.mu.Lock()
	known := p.kept.Contains(address)
	p.mu.Unlock()
	switch {
	case known:
	case !p.within(now, asker):
		return spent{asker}
	case !p.strangers.AllowN(now, 1):
		return overloaded()
	}
	if !p.all.AllowN(now, 1) {
		return overloaded()
	}
	return nil
}

// within consumes one request of a client's share and reports whether there was one left.
func (p *Profiles) within(now time.Time, asker string) bool {
	if asker == "" || p.Unlimited {
		return true
	}
	p.mu.Lock()
	share, counted := p.shares.Get(asker)
	if !counted {
		share = rate.NewLimiter(ofClient, ofClient)
		p.shares.Add(asker, share)
	}
	p.mu.Unlock()
	return share.AllowN(now, 1)
}

// mayRenew reports whether a profile may be read again before it expires. If so, it counts the request.
func (p *Profiles) mayRenew(address, asker string) bool {
	if _, ok := p.Known[address]; ok {
		return false
	}
	now, origin := p.Now(), originOf(address)
	if !p.due(now, origin) || !p.within(now, asker) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if last, ok := p.renewed.Get(origin); ok && now.Sub(last) < renewEvery { // by another request meanwhile
		return false
	}
	if !p.strangers.AllowN(now, 1) || !p.all.AllowN(now, 1) { // a client that makes up key ids counts as a stranger
		return false
	}
	p.renewed.Add(origin, now)
	return true
}

// due reports whether no profile of an origin was renewed during the last renewEvery.
func (p *Profiles) due(now time.Time, origin string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, ok := p.renewed.Get(origin)
	return !ok || now.Sub(last) >= renewEvery
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}
