// Package inbox receives the webhook calls of platforms: it registers webhooks and checks that the platforms keep them,
// verifies and stores calls before it answers them, marks duplicates, and imports what the calls report. The platforms'
// protocols and the import itself are behind ports. Package payments handles the webhooks of payment providers.
package inbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Service registers webhooks with platforms.
type Service struct {
	*ports.Stores

	Platforms map[string]ports.CalledConnector // by type
	Accounts  ports.IntegrationAccounts
	// Waiting is the bulkhead for calls to platforms; nil: no limit.
	Waiting *bulkhead.Room
	// Address returns the public URL of a webhook, or "" if the platform cannot reach this server.
	Address func(integration.Type, id.Webhook) string
	Vault   ports.Vault
	Clock   ports.Clock
	Entropy ports.Entropy
	Log     *slog.Logger
	// Wake is called when a delivery is due. It must not block, and may be called before the delivery is committed.
	Wake func()
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// platformTimeout bounds the requests to a platform.
const platformTimeout = 8 * time.Second

// Register registers a webhook for a topic with the platform. It does not store the webhook; if storing it fails, call discard
// to unregister it. If Register returns an error, the platform has reported no registration, and w and discard are nil.
func (s *Service) Register(ctx ports.Outbound, p id.Project, of id.Integration, topic string, actions []string) (
	w *integration.Webhook, discard func(), err error) {
	i, err := s.Integrations.ByID(ctx, p, of)
	if err != nil {
		return nil, nil, err
	}
	if i.Status == integration.Disconnected {
		return nil, nil, integration.ErrDisconnected()
	}
	w, err = i.Webhook(id.New[id.Webhook](s.Entropy.Bits128()), topic, actions, s.Clock.Now())
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkNew(ctx, w); err != nil {
		return nil, nil, err
	}
	if err := s.registerAt(ctx, i, w); err != nil {
		return nil, nil, err
	}
	return w, func() { s.discard(ctx, i, w) }, nil
}

// checkNew returns the error that the store would return, before the platform is called.
func (s *Service) checkNew(ctx context.Context, w *integration.Webhook) error {
	list, err := s.Webhooks.List(ctx, w.Project, w.Integration)
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(list, func(o *integration.Webhook) bool { return o.Topic == w.Topic }):
		return fault.New(fault.Conflict, "webhook_exists", "The integration has a webhook for this topic. Remove it first.").
			With("topic", "has a webhook")
	case len(list) >= integration.MaxWebhooks:
		return fault.New(fault.Conflict, "too_many_webhooks", "The integration has reached its limit of webhooks.")
	}
	return nil
}

// registerAt registers a webhook with the platform.
func (s *Service) registerAt(ctx ports.Outbound, i *integration.Integration, w *integration.Webhook) error {
	platform, calls := s.Platforms[i.Type.String()]
	address := s.Address(i.Type, w.ID)
	if !calls || address == "" {
		return fault.New(fault.Conflict, "webhook_unreachable",
			i.Type.Label()+" calls only public https addresses, and this server has none: set its public URL.")
	}
	var signing string
	err := s.withPlatform(ctx, i, func(ctx ports.Outbound, c ports.Connection) (err error) {
		w.Remote, signing, err = platform.Register(ctx, c, w.Topic, address)
		return err
	})
	if err != nil {
		return platformFault(i.Type, err)
	}
	if signing != "" {
		w.Signing = s.Vault.Seal([]byte(signing), Purpose(w.ID))
	}
	return nil
}

// withPlatform runs work with a connection to the platform, within the bulkhead and platformTimeout.
func (s *Service) withPlatform(ctx ports.Outbound, i *integration.Integration, work func(ports.Outbound, ports.Connection) error) error {
	return s.Waiting.Wait(ctx, i.ID.String(), func() error {
		ctx, cancel := ctx.WithTimeout(platformTimeout)
		defer cancel()
		return s.Accounts.Use(ctx, i, func(c ports.Connection) error { return work(ctx, c) })
	})
}

// discard unregisters a webhook that is not stored. If that fails, the platform keeps calling an unknown address.
func (s *Service) discard(ctx ports.Outbound, i *integration.Integration, w *integration.Webhook) {
	if err := s.unregister(ctx, i, w); err != nil {
		s.logLeft(ctx, i, w, err)
	}
}

func (s *Service) logLeft(ctx context.Context, i *integration.Integration, w *integration.Webhook, err error) {
	s.Log.WarnContext(ctx, "a webhook is left behind at the platform", "platform", i.Type.String(), "webhook", w.Remote, "error", err)
}

// unregister removes a webhook at the platform, even if the client is gone.
func (s *Service) unregister(ctx ports.Outbound, i *integration.Integration, w *integration.Webhook) error {
	platform, calls := s.Platforms[i.Type.String()]
	if !calls || i.Status == integration.Disconnected || w.Remote == "" {
		return nil
	}
	return s.withPlatform(ctx.WithoutCancel(), i, func(ctx ports.Outbound, c ports.Connection) error {
		return platform.Unregister(ctx, c, w.Remote)
	})
}

// Unregister removes a webhook, which stays stored, at the platform. If the platform is busy or does not answer, it returns
// Unavailable, so that the webhook stays stored and the merchant can try again. If the platform refuses the request or the
// credentials, it would refuse them again: Unregister logs that and returns nil, so that the webhook can be removed here.
func (s *Service) Unregister(ctx ports.Outbound, p id.Project, of id.Integration, webhook id.Webhook) error {
	i, err := s.Integrations.ByID(ctx, p, of)
	if err != nil {
		return err
	}
	list, err := s.Webhooks.List(ctx, p, of)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(w *integration.Webhook) bool { return w.ID == webhook })
	if at < 0 {
		return fault.Missing("webhook")
	}
	if err = s.unregister(ctx, i, list[at]); err == nil {
		return nil
	}
	if answer := platformFault(i.Type, err); fault.KindOf(answer) == fault.Unavailable {
		return answer
	}
	s.logLeft(ctx, i, list[at], err)
	return nil
}

// Retry makes a failed delivery due again.
func (s *Service) Retry(ctx context.Context, p id.Project, of id.Integration, delivery id.WebhookLog) (*integration.Delivery, error) {
	d, err := s.Inbox.Update(ctx, p, of, delivery, func(d *integration.Delivery) error { return d.Retry(s.Clock.Now()) })
	if err == nil {
		s.Wake()
	}
	return d, err
}

// platformFault converts a platform's error to an API error.
func platformFault(t integration.Type, err error) error {
	var slow ports.Throttled
	var refusal *ports.PlatformRefusal
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, ports.ErrCredentialsRefused):
		return fault.New(fault.Conflict, "credentials_refused",
			ports.WhyRefused(err, t.Label()+" rejected the account's credentials. Replace the integration's credentials.")).Because(err)
	case errors.As(err, &refusal):
		return fault.New(fault.Conflict, "platform_refused", t.Label()+" rejected the webhook: "+refusal.Reason).Because(err)
	case errors.As(err, &slow):
		return fault.New(fault.Unavailable, "provider_unavailable", t.Label()+" is busy. Try again.").After(max(slow.After, time.Second)).Because(err)
	}
	return fault.New(fault.Unavailable, "provider_unavailable", t.Label()+" did not respond. Try again.").After(5 * time.Second).Because(err)
}

// Purpose binds a sealed signing secret to its webhook.
func Purpose(w id.Webhook) string { return "signing of " + w.String() }
