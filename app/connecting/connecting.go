// Package connecting connects projects to accounts with providers outside, and disconnects them. It asks
// providers before the first write of a request, so that no transaction waits for them.
package connecting

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service works on the integrations of one project at a time.
type Service struct {
	Integrations ports.Integrations
	InUse        ports.IntegrationsInUse
	Platforms    map[string]ports.PaymentPlatform // by type
	Hooks        map[string]ports.WebhookPlatform // by type; those that call us
	// HookAddress is where a webhook reaches us; empty: nowhere that the provider could.
	HookAddress func(integration.Type, id.Webhook) string
	Vault       ports.Vault
	Clock       ports.Clock
	Entropy     ports.Entropy
	Log         *slog.Logger
	Live        bool // the environment's money is real
}

// patience bounds each conversation with a provider.
const patience = 8 * time.Second

// Connect connects an account, if the provider takes its credentials, and sends the payments that it
// serves through it. An account that was disconnected keeps its integration's id.
func (s *Service) Connect(ctx context.Context, p *project.Project, d integration.Draft) (*integration.Integration, error) {
	c := fault.NewCheck()
	d.Check(c, integration.Rules{Live: s.Live})
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := free(p, d.Type); err != nil {
		return nil, err
	}
	config, err := s.inspect(ctx, d.Type, d.Credentials)
	if err != nil {
		return nil, err
	}
	before, err := s.former(ctx, p.ID, d.Type, config)
	if err != nil {
		return nil, err
	}
	hook, signing := s.register(ctx, d.Type, d.Credentials, id.New[id.Webhook](s.Entropy.Bits128()))
	d.Credentials.Signing = signing
	i, err := s.make(p.ID, before, d, config, hook)
	if err == nil {
		i.Sealed = integration.Seal(i.ID, d.Credentials, s.Vault.Seal)
		err = s.Integrations.Connect(ctx, i, i.Route)
	}
	if err != nil {
		s.unregister(ctx, d.Type, d.Credentials, hook)
		return nil, err
	}
	return i, nil
}

func (s *Service) make(p id.Project, before *integration.Integration, d integration.Draft, c integration.Config,
	hook integration.Hook) (*integration.Integration, error) {
	if before != nil {
		return before, before.Reconnect(d, c, hook, s.Clock.Now())
	}
	return integration.Connect(id.New[id.Integration](s.Entropy.Bits128()), p, d, c, hook, s.Clock.Now()), nil
}

// free tells at once what the store would find out after the provider was asked.
func free(p *project.Project, t integration.Type) error {
	for _, method := range t.Methods() {
		if _, taken := p.Routes[method]; taken {
			return integration.ErrExists()
		}
	}
	return nil
}

// most is more integrations than a project ever had.
const most = 1000

// former is the disconnected integration of the same account; nil: there is none.
func (s *Service) former(ctx context.Context, p id.Project, t integration.Type, c integration.Config) (*integration.Integration, error) {
	list, _, err := s.Integrations.List(ctx, p, ports.Page{Limit: most})
	at := slices.IndexFunc(list, func(i *integration.Integration) bool {
		return i.Type == t && i.Config.Same(c) && c.Account != "" && i.Status == integration.Disconnected
	})
	if err != nil || at < 0 {
		return nil, err
	}
	return list[at], nil
}

// Rotate gives an integration other credentials of the same account, from the contract's api_key and
// api_secret. Without a signing secret among them, webhooks are signed as before.
func (s *Service) Rotate(ctx context.Context, p id.Project, wanted id.Integration, key, secret string) (*integration.Integration, error) {
	i, err := s.Integrations.ByID(ctx, p, wanted)
	if err != nil {
		return nil, err
	}
	if i.Status == integration.Disconnected {
		return nil, integration.ErrDisconnected()
	}
	draft := integration.Draft{Type: i.Type, Credentials: i.Type.Given(key, secret)}
	c := fault.NewCheck()
	draft.Check(c, integration.Rules{Live: s.Live})
	if err := c.Err(); err != nil {
		return nil, err
	}
	config, err := s.inspect(ctx, i.Type, draft.Credentials)
	if err != nil {
		return nil, err
	}
	hook, signing := s.keepHook(ctx, i, draft.Credentials)
	draft.Credentials.Signing = signing
	sealed := integration.Seal(i.ID, draft.Credentials, s.Vault.Seal)
	return s.Integrations.Update(ctx, p, wanted, func(i *integration.Integration) error {
		return i.Rotate(sealed, config, hook, s.Clock.Now())
	})
}

// keepHook is the integration's webhook under new credentials, and what it is signed with. Credentials that
// can't be opened, because their master key is lost, are replaced all the same.
func (s *Service) keepHook(ctx context.Context, i *integration.Integration, given integration.Credentials) (integration.Hook, string) {
	before, err := i.Open(s.Vault.Open)
	if err == nil && before.Signing != "" && given.Signing == "" {
		return i.Hook, before.Signing
	}
	hook, signing := s.register(ctx, i.Type, given, i.Hook.ID)
	if hook.Remote == "" {
		hook.Remote = i.Hook.Remote
	}
	return hook, signing
}

// Disconnect forgets the credentials, and takes the payments that went through the integration elsewhere.
func (s *Service) Disconnect(ctx context.Context, p id.Project, wanted id.Integration) error {
	i, err := s.Integrations.ByID(ctx, p, wanted)
	if err != nil || i.Status == integration.Disconnected {
		return err
	}
	open, err := s.InUse.Undecided(ctx, p, wanted)
	if err != nil {
		return err
	}
	if c, problem := i.Open(s.Vault.Open); problem == nil && !open {
		s.unregister(ctx, i.Type, c, i.Hook)
	}
	_, err = s.Integrations.Disconnect(ctx, p, wanted, func(i *integration.Integration, p *project.Project) {
		i.Unroute(p)
		i.Disconnect(s.Clock.Now())
	})
	return err
}

// inspect asks the provider whose credentials they are.
func (s *Service) inspect(ctx context.Context, t integration.Type, c integration.Credentials) (integration.Config, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	account, live, err := s.Platforms[t.String()].Inspect(ctx, Account(c))
	switch {
	case errors.Is(err, ports.ErrCredentialsRefused):
		return integration.Config{}, fault.New(fault.Invalid, "authorization_failed", t.Label()+" refused the credentials.").
			With("credentials.api_key", "was refused").Because(err)
	case err != nil:
		return integration.Config{}, fault.New(fault.Unavailable, "provider_unavailable", t.Label()+" did not answer. Try again.").
			After(5 * time.Second).Because(err)
	}
	config := integration.Config{Account: account, Live: live}
	return config, t.CheckMode(config, s.Live)
}

// Account is how adapters take credentials.
func Account(c integration.Credentials) ports.PaymentAccount {
	return ports.PaymentAccount{Key: c.Key, Secret: c.Secret}
}

// register asks the provider to call us, if it does such things and can reach us. It goes on without: what
// nobody tells is found out by asking. A signing secret that the merchant gave is one of an address that
// the merchant registers.
func (s *Service) register(ctx context.Context, t integration.Type, c integration.Credentials, name id.Webhook) (integration.Hook, string) {
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
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	remote, secret, err := platform.RegisterWebhook(bounded, Account(c), address)
	if err != nil {
		s.Log.WarnContext(ctx, "no webhook: the provider did not register it", "provider", t.String(), "error", err)
		hook.Status = integration.HookFailed
		return hook, ""
	}
	hook.Remote, hook.Status = remote, integration.HookActive
	return hook, secret
}

// unregister removes what register made. If that fails the provider calls an address that is gone.
func (s *Service) unregister(ctx context.Context, t integration.Type, c integration.Credentials, hook integration.Hook) {
	platform, calls := s.Hooks[t.String()]
	if !calls || hook.Remote == "" {
		return
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := platform.RemoveWebhook(bounded, Account(c), hook.Remote); err != nil {
		s.Log.WarnContext(ctx, "a webhook is left behind at the provider", "provider", t.String(), "webhook", hook.Remote, "error", err)
	}
}

// Unreadable are the integrations whose credentials the vault does not open, and how many have any.
func (s *Service) Unreadable(ctx context.Context) (names []string, of int, err error) {
	list, err := s.InUse.Sealed(ctx)
	for _, i := range list {
		if _, err := i.Open(s.Vault.Open); err != nil {
			names = append(names, i.ID.String())
		}
	}
	return names, len(list), err
}

// Reseal seals the credentials of all integrations under the vault's first key, and tells how many there
// are. It may be repeated, and run beside the server.
func (s *Service) Reseal(ctx context.Context) (int, error) {
	list, err := s.InUse.Sealed(ctx)
	if err != nil {
		return 0, err
	}
	for n, one := range list {
		_, err := s.Integrations.Update(ctx, one.Project, one.ID, func(i *integration.Integration) error {
			if i.Status == integration.Disconnected { // meanwhile
				return nil
			}
			return i.Reseal(s.Vault.Open, s.Vault.Seal)
		})
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return n, err
		}
	}
	return len(list), nil
}
