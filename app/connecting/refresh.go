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
	lease        = 30 * time.Second // of a refresh; longer than platformTimeout
	waitInterval = 200 * time.Millisecond
	maxWaits     = 50 // how often to look whether another replica has refreshed a token, with a pause after each
)

// errUnchanged leaves an integration unchanged.
var errUnchanged = errors.New("connecting: the integration is as it was")

// renew returns an integration with newer credentials than those of o: those that are stored by now, or refreshed ones. If
// there are none, it returns ErrCredentialsRefused. If another replica is refreshing them, a caller that needs them waits, but
// not for long; then, or if they are not needed, renew returns Throttled. Together with an error it returns o.
//
// Callers in this process share one renewal. It continues if a caller gives up, because a platform may accept a refresh
// token only once.
func (a *Accounts) renew(ctx ports.Outbound, o openIntegration, needed bool) (openIntegration, error) {
	key := fmt.Sprint(o.ID, " ", needed, " ", o.credentials.Key)
	done := a.renewals.DoChan(key, func() (renewed any, err error) {
		err = fault.Survive(func() error { // no caller could recover from a panic here
			renewed, err = a.renewOrWait(ctx.WithoutCancel(), o, needed)
			return err
		})
		return renewed, err
	})
	select {
	case r := <-done:
		if r.Err != nil {
			return o, r.Err
		}
		return r.Val.(openIntegration), nil
	case <-ctx.Done():
		return o, ctx.Err()
	}
}

func (a *Accounts) renewOrWait(ctx ports.Outbound, o openIntegration, needed bool) (openIntegration, error) {
	for range maxWaits {
		current, found, err := a.claim(ctx, o)
		switch {
		case err != nil:
			return openIntegration{}, err
		case found == claimedHere:
			return a.refresh(ctx, current)
		case found == alreadyReplaced:
			return current, nil
		case !needed:
			return openIntegration{}, ports.Throttled{After: waitInterval}
		}
		time.Sleep(waitInterval)
	}
	return openIntegration{}, ports.Throttled{After: lease}
}

// claimResult is the state of credentials that are to be renewed.
type claimResult int

const (
	claimedHere      claimResult = iota // claimed by this replica
	claimedElsewhere                    // claimed by another replica
	alreadyReplaced                     // already replaced by valid ones
)

// claim reads the integration's current credentials, and claims the refresh if they must be refreshed.
func (a *Accounts) claim(ctx context.Context, o openIntegration) (current openIntegration, found claimResult, err error) {
	_, err = a.Integrations.Update(ctx, o.Project, o.ID, func(i *integration.Integration) error {
		var err error
		now := a.Clock.Now()
		current, err = a.unseal(i)
		switch c := current.credentials; {
		case err != nil:
			return err
		case c.Key != o.credentials.Key && !c.Stale(refreshBefore, now):
			found = alreadyReplaced
			return errUnchanged
		case c.Refresh == "":
			return ports.ErrCredentialsRefused
		case now.Before(i.Refreshing):
			found = claimedElsewhere
			return errUnchanged
		}
		found, i.Refreshing = claimedHere, now.Add(lease)
		return nil
	})
	if errors.Is(err, errUnchanged) {
		err = nil
	}
	return current, found, err
}

// refresh exchanges the refresh token of a claimed integration.
func (a *Accounts) refresh(ctx ports.Outbound, o openIntegration) (openIntegration, error) {
	platform, consents := a.Connectors[o.Type.String()].(ports.OAuthConnector)
	if !consents {
		return openIntegration{}, ports.ErrCredentialsRefused
	}
	bounded, cancel := ctx.WithTimeout(platformTimeout)
	defer cancel()
	next, err := platform.Refresh(bounded, o.connection())
	if err != nil {
		a.release(ctx, o)
		return openIntegration{}, err
	}
	before := o.credentials
	if next.Refresh == "" { // the old refresh token stays valid (RFC 6749, section 6)
		next.Refresh = before.Refresh
	}
	next.Secret, next.Signing = before.Secret, before.Signing
	return a.storeRefreshed(ctx, o, next)
}

// storeRefreshed stores refreshed credentials, unless the merchant has given others meanwhile.
func (a *Accounts) storeRefreshed(ctx context.Context, o openIntegration, next integration.Credentials) (kept openIntegration, err error) {
	sealed := integration.Seal(o.ID, next, a.Vault.Seal)
	_, err = a.Integrations.Update(ctx, o.Project, o.ID, func(i *integration.Integration) error {
		now, err := a.unseal(i)
		switch {
		case err != nil:
			return err
		case now.credentials.Key != o.credentials.Key || now.credentials.Refresh != o.credentials.Refresh:
			kept = now
			return errUnchanged
		}
		kept = openIntegration{i, next}
		return i.Refreshed(sealed, next.Expires)
	})
	if errors.Is(err, errUnchanged) {
		err = nil
	}
	return kept, err
}

// release ends the claim, so that others can try again at once. If that fails, they can try when the lease ends.
func (a *Accounts) release(ctx context.Context, o openIntegration) {
	_, err := a.Integrations.Update(ctx, o.Project, o.ID, func(i *integration.Integration) error {
		if !i.Refreshing.Equal(o.Refreshing) {
			return errUnchanged
		}
		i.Refreshing = time.Time{}
		return nil
	})
	if err != nil && !errors.Is(err, errUnchanged) {
		a.Log.WarnContext(ctx, "an access token is not refreshed for a while", "integration", o.ID.String(), "error", err)
	}
}
