package connecting

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	early    = 5 * time.Minute  // before it expires, a token is refreshed by whoever wants to use it,
	earliest = 10 * time.Minute // and before that in the background
	atOnce   = 100              // integrations that the background refreshes in one go
)

// Accounts opens integrations for use, and keeps their access tokens fresh. Of all replicas one at a time
// refreshes an integration's. It has transactions of its own, and must not be used within another.
type Accounts struct {
	Integrations ports.Integrations
	Queue        ports.SyncQueue
	Connectors   map[string]ports.Connector // by type; those of consent refresh
	Standing     Standing
	Vault        ports.Vault
	Clock        ports.Clock
	Log          *slog.Logger

	renewals singleflight.Group
}

// opened is an integration with its credentials.
type opened struct {
	*integration.Integration
	credentials integration.Credentials
}

func (o opened) connection() ports.Connection {
	return ports.Connection{
		Key:         o.ID.String(),
		Account:     o.Config.Account,
		Store:       o.Config.Store,
		BaseURL:     o.Config.BaseURL,
		Credentials: o.credentials,
		Offer:       o.Config.Offer,
	}
}

// Use does work with an integration's account. When the platform refuses the credentials and there are others,
// refreshed now or given by the merchant meanwhile, work is done again with those. What they are refused for in
// the end is noted with the integration, and so is that they are taken again. A disconnected one:
// Conflict integration_disconnected.
func (a *Accounts) Use(ctx ports.Outbound, i *integration.Integration, work func(ports.Connection) error) error {
	o, err := a.fresh(ctx, i)
	if err == nil {
		err = work(o.connection())
		if errors.Is(err, ports.ErrCredentialsRefused) {
			said := err
			if o, err = a.renew(ctx, o, true); err == nil {
				err = work(o.connection())
			} else if errors.Is(err, ports.ErrCredentialsRefused) {
				err = errors.Join(said, err) // what the platform said of them is the reason
			}
		}
	}
	a.Standing.Note(ctx, o.Integration, err)
	return err
}

// open is an integration's account without a word on how it stands.
func (a *Accounts) open(ctx ports.Outbound, i *integration.Integration) (ports.Connection, error) {
	o, err := a.fresh(ctx, i)
	return o.connection(), err
}

// fresh opens an integration. A token that is about to expire is refreshed first; if that fails it is used
// while it lasts. The integration is there beside an error, too.
func (a *Accounts) fresh(ctx ports.Outbound, i *integration.Integration) (opened, error) {
	o, err := a.unseal(i)
	now := a.Clock.Now()
	if err != nil || !o.credentials.Stale(early, now) {
		return o, err
	}
	lasts := now.Before(o.credentials.Expires)
	o, err = a.renew(ctx, o, !lasts)
	if lasts && passing(err) {
		a.Log.WarnContext(ctx, "an access token is not refreshed yet", "integration", i.ID.String(), "platform", i.Type.String(), "error", err)
		return o, nil
	}
	return o, err
}

// unseal opens credentials. What the vault does not open is as good as refused.
func (a *Accounts) unseal(i *integration.Integration) (opened, error) {
	c, err := i.Open(a.Vault.Open)
	if err != nil && inUse(i) {
		err = fmt.Errorf("%w, which cannot be read: %w", ports.ErrCredentialsRefused, err)
	}
	return opened{i, c}, err
}

// passing reports whether another try may go better.
func passing(err error) bool {
	var failure *ports.PlatformFailure
	var throttled ports.Throttled
	return errors.As(err, &failure) || errors.As(err, &throttled) || errors.Is(err, context.DeadlineExceeded)
}

// RefreshExpiring refreshes tokens before anybody waits for one.
func (a *Accounts) RefreshExpiring(ctx ports.Outbound) error {
	now := a.Clock.Now()
	list, unreadable := a.Queue.Expiring(ctx, now.Add(earliest), now, atOnce)
	for _, i := range list {
		o, err := a.unseal(i)
		if err == nil {
			o, err = a.renew(ctx, o, false)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		a.Log.WarnContext(ctx, "an access token is not refreshed", "integration", i.ID.String(), "platform", i.Type.String(), "error", err)
		a.Standing.Note(ctx, o.Integration, err)
	}
	return errors.Join(unreadable, ctx.Err())
}
