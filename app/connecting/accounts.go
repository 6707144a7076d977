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
	refreshBefore           = 5 * time.Minute  // before a token expires, Use refreshes it
	backgroundRefreshBefore = 10 * time.Minute // before a token expires, RefreshExpiring refreshes it
	refreshBatch            = 100              // integrations that one RefreshExpiring refreshes
)

// Accounts opens integrations for use and refreshes their access tokens. At any time only one replica refreshes an integration's
// token. Accounts has its own transactions, so it must not be used within another one.
type Accounts struct {
	Integrations ports.Integrations
	Queue        ports.SyncQueue
	Connectors   map[string]ports.Connector // by type; those with OAuth can refresh
	Health       HealthRecorder
	Vault        ports.Vault
	Clock        ports.Clock
	Log          *slog.Logger

	renewals singleflight.Group
}

// openIntegration is an integration with its credentials.
type openIntegration struct {
	*integration.Integration
	credentials integration.Credentials
}

func (o openIntegration) connection() ports.Connection {
	return ports.Connection{
		Key:         o.ID.String(),
		Account:     o.Config.Account,
		Store:       o.Config.Store,
		BaseURL:     o.Config.BaseURL,
		Credentials: o.credentials,
		Offer:       o.Config.Offer,
	}
}

// Use calls work with a connection to an integration's account. If the platform refuses the credentials and there are newer
// ones, refreshed now or given by the merchant meanwhile, Use calls work again with those. It records a refusal with the
// integration, and also when the credentials are accepted again. If the integration is disconnected, it returns Conflict
// integration_disconnected.
func (a *Accounts) Use(ctx ports.Outbound, i *integration.Integration, work func(ports.Connection) error) error {
	o, err := a.openFresh(ctx, i)
	if err == nil {
		err = work(o.connection())
		if errors.Is(err, ports.ErrCredentialsRefused) {
			said := err
			if o, err = a.renew(ctx, o, true); err == nil {
				err = work(o.connection())
			} else if errors.Is(err, ports.ErrCredentialsRefused) {
				err = errors.Join(said, err) // the platform's answer has the reason
			}
		}
	}
	a.Health.Note(ctx, o.Integration, err)
	return err
}

// open returns a connection without recording the integration's status.
func (a *Accounts) open(ctx ports.Outbound, i *integration.Integration) (ports.Connection, error) {
	o, err := a.openFresh(ctx, i)
	return o.connection(), err
}

// openFresh opens an integration. It first refreshes a token that is about to expire; if that fails, it returns the old token while
// that is valid. The integration is set even if there is an error.
func (a *Accounts) openFresh(ctx ports.Outbound, i *integration.Integration) (openIntegration, error) {
	o, err := a.unseal(i)
	now := a.Clock.Now()
	if err != nil || !o.credentials.Stale(refreshBefore, now) {
		return o, err
	}
	lasts := now.Before(o.credentials.Expires)
	o, err = a.renew(ctx, o, !lasts)
	if lasts && isTransient(err) {
		a.Log.WarnContext(ctx, "an access token is not refreshed yet", "integration", i.ID.String(), "platform", i.Type.String(), "error", err)
		return o, nil
	}
	return o, err
}

// unseal decrypts credentials. It treats credentials that cannot be decrypted as refused.
func (a *Accounts) unseal(i *integration.Integration) (openIntegration, error) {
	c, err := i.Open(a.Vault.Open)
	if err != nil && inUse(i) {
		err = fmt.Errorf("%w, which cannot be read: %w", ports.ErrCredentialsRefused, err)
	}
	return openIntegration{i, c}, err
}

// isTransient reports whether another attempt may succeed.
func isTransient(err error) bool {
	var failure *ports.PlatformFailure
	var throttled ports.Throttled
	return errors.As(err, &failure) || errors.As(err, &throttled) || errors.Is(err, context.DeadlineExceeded)
}

// RefreshExpiring refreshes tokens before a caller has to wait for it.
func (a *Accounts) RefreshExpiring(ctx ports.Outbound) error {
	now := a.Clock.Now()
	list, unreadable := a.Queue.Expiring(ctx, now.Add(backgroundRefreshBefore), now, refreshBatch)
	for _, i := range list {
		o, err := a.unseal(i)
		if err == nil {
			o, err = a.renew(ctx, o, false)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		a.Log.WarnContext(ctx, "an access token is not refreshed", "integration", i.ID.String(), "platform", i.Type.String(), "error", err)
		a.Health.Note(ctx, o.Integration, err)
	}
	return errors.Join(unreadable, ctx.Err())
}
