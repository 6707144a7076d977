package connecting

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// PreparedConnection is an account whose platform has taken the credentials, and the integration that is not stored
// yet. If Commit is not called, or its transaction does not commit, Discard must be called.
type PreparedConnection struct {
	Before *integration.Integration // nil: the integration is new
	After  *integration.Integration // as of Commit

	change  func(ctx context.Context, stores *ports.Stores) (*integration.Integration, error)
	discard func() // nil: nothing was left with the platform
}

// Commit stores the integration.
func (c *PreparedConnection) Commit(ctx context.Context, stores *ports.Stores) error {
	after, err := c.change(ctx, stores)
	if err != nil {
		return err
	}
	c.After = after
	return nil
}

// Discard unregisters the webhook that was registered for the integration. It calls the platform.
func (c *PreparedConnection) Discard() {
	if c.discard != nil {
		c.discard()
	}
}

// commit stores what was prepared, and discards it after the transaction if that does not commit.
func (s *Service) commit(ctx context.Context, c *PreparedConnection) (*integration.Integration, error) {
	err := c.Commit(ctx, s.Stores)
	if c.discard != nil {
		s.Transaction.AfterEnd(func(committed bool) {
			if err != nil || !committed {
				c.Discard()
			}
		})
	}
	return c.After, err
}

// prepareNew prepares a new integration, or one that was disconnected before, with a webhook for payments.
func (s *Service) prepareNew(ctx ports.Outbound, p id.Project, d integration.Draft, config integration.Config,
	before *integration.Integration) (*PreparedConnection, error) {
	hook, signing := s.register(ctx, d.Type, d.Credentials, id.New[id.Webhook](s.Entropy.Bits128()))
	d.Credentials.Signing = signing
	discard := func() { s.unregister(ctx, d.Type, d.Credentials, hook) }
	i, err := s.make(p, before, d, config, hook)
	if err != nil {
		discard()
		return nil, err
	}
	s.seal(i, d.Credentials)
	return &PreparedConnection{
		change: func(ctx context.Context, stores *ports.Stores) (*integration.Integration, error) {
			return i, stores.Integrations.Connect(ctx, i, i.Route)
		},
		discard: discard,
	}, nil
}

// prepareReplacement prepares other credentials for an integration.
func (s *Service) prepareReplacement(of *integration.Integration, c integration.Credentials, config integration.Config,
	hook integration.Hook) *PreparedConnection {
	return &PreparedConnection{
		Before: of,
		change: func(ctx context.Context, stores *ports.Stores) (*integration.Integration, error) {
			return s.In(stores).replace(ctx, of, c, config, hook)
		},
	}
}

// PreparedDisconnection is an integration whose platform was told that it is to be disconnected.
type PreparedDisconnection struct {
	service     *Service
	integration *integration.Integration // nil: it is disconnected already
	webhooks    []*integration.Webhook
}

// Commit disconnects the integration.
func (d *PreparedDisconnection) Commit(ctx context.Context, stores *ports.Stores) error {
	if d.integration == nil {
		return nil
	}
	return d.service.In(stores).forget(ctx, d.integration, d.webhooks)
}
