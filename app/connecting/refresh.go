package connecting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	lease = 30 * time.Second // of whoever refreshes a token: longer than the platform is given
	pause = 200 * time.Millisecond
	looks = 50 // at a token that another replica refreshes, with a pause after each
)

// errAsItWas leaves an integration unchanged.
var errAsItWas = errors.New("connecting: the integration is as it was")

// renew gives an integration other credentials than those that it was opened with: those that it has since, or
// refreshed ones. There are none: ErrCredentialsRefused. If another replica is refreshing them, whoever needs
// them waits, and whoever does not, and after a while everybody, is told to come back: Throttled. The
// integration that was given is there beside an error.
//
// In this process one renewal is shared by all that want it, and goes on when one of them gives up: a platform
// may take a refresh token only once.
func (a *Accounts) renew(ctx ports.Outbound, o opened, needed bool) (opened, error) {
	key := fmt.Sprint(o.ID, " ", needed, " ", o.credentials.Key)
	done := a.renewals.DoChan(key, func() (renewed any, err error) {
		err = fault.Survive(func() error { // no caller could recover from a panic here
			renewed, err = a.renewal(ctx.WithoutCancel(), o, needed)
			return err
		})
		return renewed, err
	})
	select {
	case r := <-done:
		if r.Err != nil {
			return o, r.Err
		}
		return r.Val.(opened), nil
	case <-ctx.Done():
		return o, ctx.Err()
	}
}

func (a *Accounts) renewal(ctx ports.Outbound, o opened, needed bool) (opened, error) {
	for range looks {
		current, found, err := a.claim(ctx, o)
		switch {
		case err != nil:
			return opened{}, err
		case found == ours:
			return a.refresh(ctx, current)
		case found == replaced:
			return current, nil
		case !needed:
			return opened{}, ports.Throttled{After: pause}
		}
		time.Sleep(pause)
	}
	return opened{}, ports.Throttled{After: lease}
}

// finding is what is found of credentials that are to be renewed.
type finding int

const (
	ours     finding = iota // to be refreshed, by nobody else
	theirs                  // being refreshed by another replica
	replaced                // by others, which are good
)

// claim looks at the integration as it is now, and claims what is to be refreshed.
func (a *Accounts) claim(ctx context.Context, o opened) (current opened, found finding, err error) {
	_, err = a.Integrations.Update(ctx, o.Project, o.ID, func(i *integration.Integration) error {
		var err error
		now := a.Clock.Now()
		current, err = a.unseal(i)
		switch c := current.credentials; {
		case err != nil:
			return err
		case c.Key != o.credentials.Key && !c.Stale(early, now):
			found = replaced
			return errAsItWas
		case c.Refresh == "":
			return ports.ErrCredentialsRefused
		case now.Before(i.Refreshing):
			found = theirs
			return errAsItWas
		}
		found, i.Refreshing = ours, now.Add(lease)
		return nil
	})
	if errors.Is(err, errAsItWas) {
		err = nil
	}
	return current, found, err
}

// refresh exchanges the refresh token of an integration that was claimed.
func (a *Accounts) refresh(ctx ports.Outbound, o opened) (opened, error) {
	platform, consents := a.Connectors[o.Type.String()].(ports.OAuthConnector)
	if !consents {
		return opened{}, ports.ErrCredentialsRefused
	}
	bounded, cancel := ctx.WithTimeout(patience)
	defer cancel()
	next, err := platform.Refresh(bounded, o.connection())
	if err != nil {
		a.release(ctx, o)
		return opened{}, err
	}
	before := o.credentials
	if next.Refresh == "" { // the one before stays good (RFC 6749, section 6)
		next.Refresh = before.Refresh
	}
	next.Secret, next.Signing = before.Secret, before.Signing
	return a.keep(ctx, o, next)
}

// keep stores refreshed credentials, unless the merchant has given others meanwhile, which win.
func (a *Accounts) keep(ctx context.Context, o opened, next integration.Credentials) (kept opened, err error) {
	sealed := integration.Seal(o.ID, next, a.Vault.Seal)
	_, err = a.Integrations.Update(ctx, o.Project, o.ID, func(i *integration.Integration) error {
		now, err := a.unseal(i)
		switch {
		case err != nil:
			return err
		case now.credentials.Key != o.credentials.Key || now.credentials.Refresh != o.credentials.Refresh:
			kept = now
			return errAsItWas
		}
		kept = opened{i, next}
		return i.Refreshed(sealed, next.Expires)
	})
	if errors.Is(err, errAsItWas) {
		err = nil
	}
	return kept, err
}

// release lets others try at once what failed here. If that fails they try after the lease.
func (a *Accounts) release(ctx context.Context, o opened) {
	_, err := a.Integrations.Update(ctx, o.Project, o.ID, func(i *integration.Integration) error {
		if !i.Refreshing.Equal(o.Refreshing) {
			return errAsItWas
		}
		i.Refreshing = time.Time{}
		return nil
	})
	if err != nil && !errors.Is(err, errAsItWas) {
		a.Log.WarnContext(ctx, "an access token is not refreshed for a while", "integration", o.ID.String(), "error", err)
	}
}
