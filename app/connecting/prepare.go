package connecting

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// PreparedConnection is an integration whose credentials the platform has accepted and that is not stored yet. If Commit is not
// called, or its transaction does not commit, Discard must be called.
type PreparedConnection struct {
	Before *integration.Integration // nil: the integration is new
	// Commit stores the integration.
	Commit func(ctx context.Context, stores *ports.Stores) (after *integration.Integration, err error)
	// Discard unregisters the webhook that was registered for the integration. It calls the platform. Nil: no webhook.
	Discard func()
}

// prepareNew prepares a new or formerly disconnected integration, with a webhook for payments.
func (s *Service) prepareNew(ctx ports.Outbound, p id.Project, d integration.Draft, config integration.Config,
	before *integration.Integration) (*PreparedConnection, error) {
	hook, signing := s.register(ctx, d.Type, d.Credentials, id.New[id.Webhook](s.Entropy.Bits128()))
	d.Credentials.Signing = signing
	discard := func() {
		if err := s.unregister(ctx, d.Type, d.Credentials, hook); err != nil {
			s.Log.WarnContext(ctx, "a webhook is left behind at the provider", "provider", d.Type.String(), "webhook", hook.Remote, "error", err)
		}
	}
	i, err := s.newIntegration(p, before, d, config, hook)
	if err != nil {
		discard()
		return nil, err
	}
	s.seal(i, d.Credentials)
	return &PreparedConnection{
		Commit: func(ctx context.Context, stores *ports.Stores) (*integration.Integration, error) {
			return i, stores.Integrations.Connect(ctx, i, i.Route)
		},
		Discard: discard,
	}, nil
}

// prepareReplacement prepares other credentials for an integration.
func (s *Service) prepareReplacement(of *integration.Integration, c integration.Credentials, config integration.Config,
	hook integration.Hook) *PreparedConnection {
	return &PreparedConnection{
		Before: of,
		Commit: func(ctx context.Context, stores *ports.Stores) (*integration.Integration, error) {
			return s.In(stores).replace(ctx, of, c, config, hook)
		},
	}
}
