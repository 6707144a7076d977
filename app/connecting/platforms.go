package connecting

import (
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// platformTimeout bounds the requests to a platform.
const platformTimeout = 8 * time.Second

// newConnection returns the connection of an integration that is not stored yet.
func newConnection(p id.Project, d integration.Draft) ports.Connection {
	c := d.Config
	return ports.Connection{
		Key:         d.Type.String() + " " + c.Store + c.BaseURL + " of " + p.String(),
		Store:       c.Store,
		BaseURL:     c.BaseURL,
		Credentials: d.Credentials,
	}
}

// inspect asks the platform for the account of the credentials.
func (s *Service) inspect(ctx ports.Outbound, t integration.Type, c ports.Connection) (config integration.Config, err error) {
	err = s.Waiting.Wait(ctx, c.Key, func() (err error) {
		config, err = s.inspectNow(ctx, t, c)
		return err
	})
	return config, err
}

// inspectNow is inspect without the bulkhead, for callers that already wait there.
func (s *Service) inspectNow(ctx ports.Outbound, t integration.Type, c ports.Connection) (config integration.Config, err error) {
	bounded, cancel := ctx.WithTimeout(platformTimeout)
	defer cancel()
	if t.Kind() == integration.Payment {
		config.Account, config.Live, err = s.Platforms[t.String()].Inspect(bounded, Account(c.Credentials))
	} else {
		config, err = s.Connectors[t.String()].Inspect(bounded, c)
	}
	if err != nil {
		field := "credentials.api_key"
		if t.OAuth() {
			field = "code"
		}
		return integration.Config{}, platformFault(t, err, field)
	}
	if config.Store == "" {
		config.Store = c.Store
	}
	return config, t.CheckMode(config, s.Rules.Live)
}

// platformFault converts a platform's error to an API error. field is the field that the platform may have refused.
func platformFault(t integration.Type, err error, field string) error {
	var refusal *ports.PlatformRefusal
	switch {
	case errors.Is(err, bulkhead.ErrFull):
		return err
	case errors.Is(err, ports.ErrCredentialsRefused):
		return fault.New(fault.Invalid, "authorization_failed", ports.WhyRefused(err, t.Label()+" rejected the credentials.")).With(field, "was rejected").Because(err)
	case errors.As(err, &refusal):
		return fault.New(fault.Invalid, "authorization_failed", refusal.Reason).With(field, "is not valid").Because(err)
	}
	return ports.Unanswered(t.Label(), err)
}

// Account converts credentials to those of a payment account.
func Account(c integration.Credentials) ports.PaymentAccount {
	return ports.PaymentAccount{Key: c.Key, Secret: c.Secret}
}

// register registers a webhook with the provider, if it has webhooks and can reach this server. Without a webhook the outcomes of
// payments are polled. If the merchant gave a signing secret, the merchant registers the webhook.
func (s *Service) register(ctx ports.Outbound, t integration.Type, c integration.Credentials, name id.Webhook) (integration.Hook, string) {
	hook := integration.Hook{ID: name, Status: integration.HookNone}
	platform, calls := s.Hooks[t.String()]
	address := s.HookAddress(t, name)
	switch {
	case !calls:
		return hook, c.Signing
	case c.Signing != "":
		hook.Status = integration.HookActive
		return hook, c.Signing
	case address == "":
		return hook, ""
	}
	var remote, secret string
	err := s.Waiting.Wait(ctx, name.String(), func() (err error) {
		bounded, cancel := ctx.WithTimeout(platformTimeout)
		defer cancel()
		remote, secret, err = platform.RegisterWebhook(bounded, Account(c), address)
		return err
	})
	if err != nil {
		s.Log.WarnContext(ctx, "no webhook: the provider did not register it", "provider", t.String(), "error", err)
		hook.Status = integration.HookFailed
		return hook, ""
	}
	hook.Remote, hook.Status = remote, integration.HookActive
	return hook, secret
}

// unregister removes a webhook that register made. If that fails, the provider keeps calling an unknown address. The only error
// is bulkhead.ErrFull, if the provider was not called.
func (s *Service) unregister(ctx ports.Outbound, t integration.Type, c integration.Credentials, hook integration.Hook) error {
	platform, calls := s.Hooks[t.String()]
	if !calls || hook.Remote == "" {
		return nil
	}
	bounded, cancel := ctx.WithoutCancel().WithTimeout(platformTimeout)
	defer cancel()
	err := s.Waiting.Wait(ctx, hook.ID.String(), func() error { return platform.RemoveWebhook(bounded, Account(c), hook.Remote) })
	if errors.Is(err, bulkhead.ErrFull) {
		return err
	}
	if err != nil {
		s.Log.WarnContext(ctx, "a webhook is left behind at the provider", "provider", t.String(), "webhook", hook.Remote, "error", err)
	}
	return nil
}
