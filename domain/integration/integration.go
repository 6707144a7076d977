// Package integration defines a project's connections to other systems: payment providers, through which its payments
// go, and platforms whose data is synchronised. It also has their credentials, OAuth consents (Authorization), sync
// schedules, and the webhooks that platforms call, with the log of these calls (Delivery). It calls none of these
// systems.
//
//	(none) ── Connect ──> connected <── Recovered, Rotate ──> error
//	                          │  └── Failed ───────────────────┘
//	                          └── Disconnect (also from error) ──> disconnected ── Reconnect ──> connected
//
// A disconnected integration has no credentials. It is kept because its payments refer to it. Connecting the
// same account again reconnects it, so that its payments can be refunded.
package integration

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Status of an integration.
type Status struct{ name string }

var (
	Connected    = Status{"connected"}
	Failing      = Status{"error"} // its credentials were refused; requests are still made
	Disconnected = Status{"disconnected"}
)

func (s Status) String() string { return s.name }

// Statuses are all statuses by name.
var Statuses = map[string]Status{"connected": Connected, "error": Failing, "disconnected": Disconnected}

// HookStatus is whether the provider sends us webhooks, in addition to answering our requests.
type HookStatus struct{ name string }

var (
	HookNone   = HookStatus{"none"}   // none is registered: we poll
	HookActive = HookStatus{"active"} // it does, and signs them
	HookFailed = HookStatus{"failed"} // the provider refused to register one, or did not answer
)

func (s HookStatus) String() string { return s.name }

// HookStatuses are all statuses by name.
var HookStatuses = map[string]HookStatus{"none": HookNone, "active": HookActive, "failed": HookFailed}

// Hook is the webhook at which the provider calls us.
type Hook struct {
	ID     id.Webhook // its address is /hooks/{ID}
	Remote string     // the provider's id of it; empty: we did not register it ourselves
	Status HookStatus
}

// Integration is a project's account with a platform.
type Integration struct {
	ID        id.Integration
	Project   id.Project
	Type      Type
	Name      string
	Status    Status
	Config    Config
	Hook      Hook
	Sealed    []byte    // the encrypted credentials; nil when disconnected
	Expires   time.Time // when the access token in them expires; zero: never
	LastError string    // why Status is error, in words for the merchant
	// Synced is how far each resource has been read. LastSync is when a run last completed; zero: never.
	Synced   syncrun.Watermarks
	LastSync time.Time
	// NextSync is when the next scheduled sync starts; zero: not known yet, or no schedule.
	NextSync time.Time
	// Wanted are the resources that a webhook's actions or the schedule request, until a run starts.
	Wanted []syncrun.Resource
	// Refreshing is the end of the lease of the server that refreshes the access token.
	Refreshing time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Draft has the merchant's settings for connecting an account.
type Draft struct {
	Type        Type
	Name        string // empty: the type's label
	Credentials Credentials
	Config      Config // the merchant's part of it: the address of its own system
	Change      Change // of the settings; others stay as they were before the account was disconnected, or have their default
}

// Rules are those of the installation.
type Rules struct {
	Live          bool // payments are real
	AllowLoopback bool // merchants' systems may be on this machine
}

// Check reports what is wrong with the draft of an account that is connected by a key.
func (d Draft) Check(c fault.Check, r Rules) {
	checkName(c, d.Name)
	if d.Type.OAuth() {
		c.That(false, "type", "is connected by consent: use /v1/integrations/connect")
		return
	}
	if d.Type.Hosted() {
		checkBase(c, d.Config.BaseURL, r.AllowLoopback)
	} else {
		c.In("config").That(d.Config.BaseURL == "", "base_url", "is only for systems that you host yourself")
	}
	Config{MayWriteOrders: true}.checkWriting(d.Type, d.Change, c) // the account's permission is not known yet
	d.Config.checkOffers(d.Type, d.Change, c)
	if schedule, given := d.Change.SyncSchedule.Value(); given {
		d.Type.CheckSchedule(c, schedule, d.Change.ScheduleProblem)
	}
	d.Type.checkCredentials(c, d.Credentials, r.Live)
}

func checkName(c fault.Check, name string) {
	c.That(utf8.RuneCountInString(name) <= 200 && !strings.ContainsFunc(name, unicode.IsControl), "name",
		"must be a line of at most 200 characters")
}

// Change applies a merchant's changes: the name and what is synchronised.
func (i *Integration) Change(change Change, now time.Time) error {
	name := i.Name
	change.Name.Apply(&name, i.Type.Label())
	c := fault.NewCheck()
	checkName(c, name)
	c.That(strings.TrimSpace(name) != "", "name", "must not be empty")
	i.Config.checkWriting(i.Type, change, c)
	if schedule, given := change.SyncSchedule.Value(); given {
		i.Type.CheckSchedule(c, schedule, change.ScheduleProblem)
	}
	i.Config.checkOffers(i.Type, change, c)
	if err := c.Err(); err != nil {
		return err
	}
	before := i.Config.Schedule
	i.Name, i.Config, i.UpdatedAt = name, i.Config.apply(change), now
	if i.Config.Schedule != before {
		i.NextSync = time.Time{}
	}
	return nil
}

// Connect returns an integration from a checked draft and the provider's data.
func Connect(name id.Integration, p id.Project, d Draft, config Config, hook Hook, now time.Time) *Integration {
	i := &Integration{
		ID:        name,
		Project:   p,
		Type:      d.Type,
		CreatedAt: now,
	}
	i.connect(d, config, hook, now)
	return i
}

// Reconnect connects a disconnected integration again.
func (i *Integration) Reconnect(d Draft, config Config, hook Hook, now time.Time) error {
	if i.Status != Disconnected {
		return ErrExists()
	}
	i.connect(d, config, hook, now)
	return nil
}

func (i *Integration) connect(d Draft, config Config, hook Hook, now time.Time) {
	i.Name, i.Status, i.Config, i.Hook, i.LastError, i.UpdatedAt = d.Name, Connected, config, hook, "", now
	if strings.TrimSpace(i.Name) == "" {
		i.Name = d.Type.Label()
	}
}

// Rotate replaces the credentials with others of the same account, already encrypted.
func (i *Integration) Rotate(sealed []byte, config Config, hook Hook, now time.Time) error {
	switch {
	case i.Status == Disconnected:
		return ErrDisconnected()
	case !config.Same(i.Config):
		return fault.Field("credentials.api_key", "belongs to another account: disconnect this one and connect the other one")
	}
	i.Sealed, i.Hook, i.Status, i.LastError, i.UpdatedAt = sealed, hook, Connected, "", now
	i.Config.MayWriteOrders, i.Config.MayWriteDeals = config.MayWriteOrders, config.MayWriteDeals
	return nil
}

// Disconnect removes the credentials. It does nothing if the integration is disconnected.
func (i *Integration) Disconnect(now time.Time) {
	if i.Status == Disconnected {
		return
	}
	i.Status, i.Sealed, i.LastError, i.UpdatedAt = Disconnected, nil, "", now
	i.Wanted, i.Refreshing, i.Expires, i.NextSync = nil, time.Time{}, time.Time{}, time.Time{}
	i.Hook.Remote, i.Hook.Status = "", HookNone
}

// Failed records that the provider refused the credentials that the integration had at the time with. It reports
// whether that changes the integration: a refusal of credentials that were replaced since has no effect.
func (i *Integration) Failed(with time.Time, why string, now time.Time) bool {
	if i.Status == Disconnected || !i.UpdatedAt.Equal(with) || i.Status == Failing && i.LastError == why {
		return false
	}
	i.Status, i.LastError, i.UpdatedAt = Failing, why, now
	return true
}

// WritesDeals reports whether the project's orders are written to the integration as deals.
func (i *Integration) WritesDeals() bool {
	return i.Status != Disconnected && i.Config.MayWriteDeals && !i.Config.Skip.Writing
}

// DealsWithdrawn records that the account no longer lets us write deals with the credentials that the integration had
// at the time with. It reports whether that changes the integration.
func (i *Integration) DealsWithdrawn(with, now time.Time) bool {
	if !i.UpdatedAt.Equal(with) || !i.WritesDeals() {
		return false
	}
	i.Config.MayWriteDeals, i.UpdatedAt = false, now
	return true
}

// Refreshed replaces the tokens with those from the platform's refresh, already encrypted. It changes nothing that a
// merchant sees.
func (i *Integration) Refreshed(sealed []byte, expires time.Time) error {
	if i.Status == Disconnected {
		return ErrDisconnected()
	}
	i.Sealed, i.Expires, i.Refreshing = sealed, expires, time.Time{}
	return nil
}

// Want requests resources to be read by a later run.
func (i *Integration) Want(resources ...syncrun.Resource) {
	for _, r := range resources {
		if i.Status != Disconnected && i.Config.Syncs(r) && !slices.Contains(i.Wanted, r) {
			i.Wanted = append(i.Wanted, r)
		}
	}
}

// Completed records that a run has completed.
func (i *Integration) Completed(r *syncrun.Run) {
	i.Synced, i.LastSync = r.Watermarks(i.Synced), r.EndedAt
}

// Recovered records that the provider accepts the credentials again, and reports whether that changes the integration.
func (i *Integration) Recovered(now time.Time) bool {
	if i.Status != Failing {
		return false
	}
	i.Status, i.LastError, i.UpdatedAt = Connected, "", now
	return true
}

// Route routes the project's payments by the integration's methods through it. It returns Conflict integration_exists
// if another integration serves one of the methods.
func (i *Integration) Route(p *project.Project) error {
	for _, method := range i.Type.Methods() {
		if r, taken := p.Routes[method]; taken && r.Integration != i.ID {
			return ErrExists()
		}
	}
	routes := map[project.PaymentMethod]project.PaymentRoute{}
	maps.Copy(routes, p.Routes)
	for _, method := range i.Type.Methods() {
		routes[method] = project.PaymentRoute{Provider: i.Type.String(), Integration: i.ID}
	}
	p.Routes = routes
	return nil
}

// Unroute removes the integration from the project's routes.
func (i *Integration) Unroute(p *project.Project) {
	p.Routes = maps.Clone(p.Routes)
	maps.DeleteFunc(p.Routes, func(_ project.PaymentMethod, r project.PaymentRoute) bool { return r.Integration == i.ID })
	if len(p.Routes) == 0 {
		p.Routes = nil
	}
}

// ErrExists refuses to connect an account that is connected.
func ErrExists() *fault.Error {
	return fault.New(fault.Conflict, "integration_exists",
		"The project has an integration of this type. Disconnect it first, or replace its credentials.").With("type", "is connected already")
}

// ErrDisconnected refuses to use an integration that is disconnected.
func ErrDisconnected() *fault.Error {
	return fault.New(fault.Conflict, "integration_disconnected", "The integration is disconnected. Connect the account again.")
}
