// Package connecting connects projects to accounts with external platforms, by API key or by OAuth, refreshes their
// credentials, and disconnects them. It calls platforms before the first write of a request, so that no transaction waits
// for them; importing data is the business of package syncing.
package connecting

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service manages the integrations of projects.
type Service struct {
	*ports.Stores

	Platforms  map[string]ports.PaymentPlatform // by type
	Hooks      map[string]ports.WebhookPlatform // by type; payment providers with webhooks
	Connectors map[string]ports.Connector       // by type; other platforms
	// Accounts opens integrations. It writes in its own transactions, before the request's transaction begins.
	Accounts *Accounts
	// Waiting is the bulkhead for calls to platforms and providers; nil: no limit.
	Waiting *bulkhead.Room
	// MissingApp names the variables that configure our OAuth app for a type; "" if it is configured.
	MissingApp func(integration.Type) string
	// HookAddress returns the public URL of a webhook, or "" if the provider cannot reach this server.
	HookAddress func(integration.Type, id.Webhook) string

	// CallbackURL is where platforms send merchants back to. StorePage asks a merchant for a shop.
	CallbackURL, StorePage func() string

	Schedules ports.Schedules
	Addresses ports.Addresses
	Vault     ports.Vault
	Clock     ports.Clock
	Entropy   ports.Entropy
	Log       *slog.Logger
	Rules     integration.Rules
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// PrepareConnect asks the platform for the account of the key, and registers a webhook with it. It stores nothing. The
// integration will serve the account's payment methods. An account that was disconnected keeps its integration's id.
func (s *Service) PrepareConnect(ctx ports.Outbound, p *project.Project, d integration.Draft) (*PreparedConnection, error) {
	d.Config.BaseURL = strings.TrimRight(d.Config.BaseURL, "/")
	d.Change.ScheduleProblem = s.scheduleProblem(d.Change)
	c := fault.NewCheck()
	d.Check(c, s.Rules)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := checkNew(p, d.Type); err != nil {
		return nil, err
	}
	if s.Addresses.LeadsInside(d.Config.BaseURL) {
		return nil, fault.Field("config.base_url", "must not lead to a private address")
	}
	others, err := s.ofType(ctx, p.ID, d.Type)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(others, inUse) {
		return nil, integration.ErrExists()
	}
	config, err := s.inspect(ctx, d.Type, newConnection(p.ID, d))
	if err != nil {
		return nil, err
	}
	config.BaseURL = d.Config.BaseURL
	before, settings := formerIntegration(others, config), integration.Config{}
	if before != nil {
		settings = before.Config
	}
	return s.prepareNew(ctx, p.ID, d, config.Settings(settings, d.Change), before)
}

func (s *Service) newIntegration(p id.Project, before *integration.Integration, d integration.Draft, c integration.Config,
	hook integration.Hook) (*integration.Integration, error) {
	if before != nil {
		return before, before.Reconnect(d, c, hook, s.Clock.Now())
	}
	return integration.Connect(id.New[id.Integration](s.Entropy.IDBits()), p, d, c, hook, s.Clock.Now()), nil
}

// seal sets an integration's credentials.
func (s *Service) seal(i *integration.Integration, c integration.Credentials) {
	i.Sealed, i.Expires = integration.Seal(i.ID, c, s.Vault.Seal), c.Expires
}

// checkNew returns the error that the store would return, before the provider is called.
func checkNew(p *project.Project, t integration.Type) error {
	for _, method := range t.Methods() {
		if _, taken := p.Routes[method]; taken {
			return integration.ErrExists()
		}
	}
	return nil
}

// maxIntegrations is more integrations than a project can have had.
const maxIntegrations = 1000

// ofType returns the project's integrations of a type, including disconnected ones.
func (s *Service) ofType(ctx context.Context, p id.Project, t integration.Type) ([]*integration.Integration, error) {
	list, _, err := s.Integrations.List(ctx, p, ports.Page{Limit: maxIntegrations})
	return slices.DeleteFunc(slices.Clone(list), func(i *integration.Integration) bool { return i.Type != t }), err
}

func inUse(i *integration.Integration) bool { return i.Status != integration.Disconnected }

// formerIntegration returns the disconnected integration of the same account, or nil.
func formerIntegration(list []*integration.Integration, c integration.Config) *integration.Integration {
	at := slices.IndexFunc(list, func(i *integration.Integration) bool {
		return i.Config.Same(c) && c.Account != "" && !inUse(i)
	})
	if at < 0 {
		return nil
	}
	return list[at]
}

// PrepareRotation asks the platform for the account of another key, given as the contract's api_key and api_secret. It must be
// the same account. Without a new signing secret, payment webhooks keep the old one. PrepareRotation stores nothing.
func (s *Service) PrepareRotation(ctx ports.Outbound, p id.Project, of id.Integration, key, secret string) (*PreparedConnection, error) {
	i, err := s.Integrations.ByID(ctx, p, of)
	if err != nil {
		return nil, err
	}
	if !inUse(i) {
		return nil, integration.ErrDisconnected()
	}
	draft := integration.Draft{
		Type:        i.Type,
		Credentials: i.Type.Given(key, secret),
		Config:      i.Config,
	}
	c := fault.NewCheck()
	draft.Check(c, s.Rules)
	if err := c.Err(); err != nil {
		return nil, err
	}
	config, err := s.inspect(ctx, i.Type, newConnection(p, draft))
	if err != nil {
		return nil, err
	}
	config.BaseURL = i.Config.BaseURL
	hook, signing := s.hookForNewKey(ctx, i, draft.Credentials)
	draft.Credentials.Signing = signing
	return s.prepareReplacement(i, draft.Credentials, config, hook), nil
}

// replace stores other credentials. A concurrent refresh of the old ones then has no effect.
func (s *Service) replace(ctx context.Context, of *integration.Integration, c integration.Credentials, config integration.Config,
	hook integration.Hook) (*integration.Integration, error) {
	sealed := integration.Seal(of.ID, c, s.Vault.Seal)
	return s.Integrations.Update(ctx, of.Project, of.ID, func(i *integration.Integration) error {
		i.Expires, i.Refreshing = c.Expires, time.Time{}
		return i.Rotate(sealed, config, hook, s.Clock.Now())
	})
}

// hookForNewKey returns the integration's webhook under new credentials, and its signing secret. It also replaces credentials that
// cannot be decrypted because their master key is lost.
func (s *Service) hookForNewKey(ctx ports.Outbound, i *integration.Integration, given integration.Credentials) (integration.Hook, string) {
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

// Change changes the settings of an integration that a merchant may change.
func (s *Service) Change(ctx context.Context, p id.Project, of id.Integration, c integration.Change) (before, after *integration.Integration, err error) {
	c.ScheduleProblem = s.scheduleProblem(c)
	after, err = s.Integrations.Update(ctx, p, of, func(i *integration.Integration) error {
		was := *i
		before = &was
		now := s.Clock.Now()
		if err := i.Change(c, now); err != nil {
			return err
		}
		if i.SyncDue(now) && i.NextSync.IsZero() {
			i.Schedule(func(after time.Time) time.Time { return s.Schedules.Next(i.Config.Schedule, after) }, now)
		}
		return nil
	})
	return before, after, err
}

// scheduleProblem returns why a schedule is invalid, or "" if it is valid or empty.
func (s *Service) scheduleProblem(c integration.Change) string {
	schedule, _ := c.SyncSchedule.Value()
	if schedule == "" {
		return ""
	}
	return s.Schedules.Problem(schedule, integration.MinSyncInterval, s.Clock.Now())
}
