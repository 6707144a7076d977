// Package integration is what a project is connected to outside: payment providers, through which its
// payments go, and platforms whose data is synchronised.
//
//	(none) ── Connect ──> connected <── Recovered, Rotate ──> error
//	                          │  └── Failed ───────────────────┘
//	                          └── Disconnect (also from error) ──> disconnected ── Reconnect ──> connected
//
// A disconnected integration has no credentials. It stays, for its payments name it, and connecting the
// same account again takes it up again, so that they can be given back.
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
	Failing      = Status{"error"} // its credentials were refused; it is tried all the same
	Disconnected = Status{"disconnected"}
)

func (s Status) String() string { return s.name }

// Statuses are all of them by name.
var Statuses = map[string]Status{"connected": Connected, "error": Failing, "disconnected": Disconnected}

// HookStatus is whether the provider tells us of what happens, beside what we ask it for.
type HookStatus struct{ name string }

var (
	HookNone   = HookStatus{"none"}   // it was not asked to: we find everything out by asking
	HookActive = HookStatus{"active"} // it is, and signs what it tells
	HookFailed = HookStatus{"failed"} // it was asked to and refused, or did not answer
)

func (s HookStatus) String() string { return s.name }

// HookStatuses are all of them by name.
var HookStatuses = map[string]HookStatus{"none": HookNone, "active": HookActive, "failed": HookFailed}

// Hook is the address at which the provider calls us.
type Hook struct {
	ID     id.Webhook // its address is /hooks/{ID}
	Remote string     // the provider's id of it; empty: we did not register it
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
	Sealed    []byte    // credentials; none when disconnected
	Expires   time.Time // of the access token among them, as whoever seals them says; zero: it does not
	LastError string    // why Status is error, in words for the merchant
	// Synced is how far each resource has been read, and LastSync when a run last completed; zero: never.
	Synced   syncrun.Watermarks
	LastSync time.Time
	// NextSync is when the next scheduled sync starts; zero: it is not known yet, or there is no schedule.
	NextSync time.Time
	// Wanted are resources that a webhook's actions or the schedule ask for, until a run takes them.
	Wanted []syncrun.Resource
	// Refreshing is until when someone is refreshing the access token.
	Refreshing time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Draft is what a merchant gives to connect an account.
type Draft struct {
	Type        Type
	Name        string // empty: the type's
	Credentials Credentials
	Config      Config // what the merchant says: the address of an own system
	Change      Change // of the settings; what it leaves out is as it was before the account was disconnected, or the default
}

// Rules are those of the installation.
type Rules struct {
	Live          bool // its money is real
	AllowLoopback bool // a merchant's system may be on this machine
}

// Check gathers what is wrong with the draft of an account that is connected by a key.
func (d Draft) Check(c fault.Check, r Rules) {
	checkName(c, d.Name)
	if d.Type.OAuth() {
		c.That(false, "type", "is connected by consent: use /v1/integrations/connect")
		return
	}
	if d.Type.Hosted() {
		checkBase(c, d.Config.BaseURL, r.AllowLoopback)
	} else {
		c.In("config").That(d.Config.BaseURL == "", "base_url", "is for systems that you host yourself")
	}
	Config{MayWriteOrders: true}.checkWriting(d.Type, d.Change, c) // whether the account does is not known yet
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

// Change changes what a merchant may: the name and what is synchronised.
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

// Connect makes an integration from a draft that was checked, and from what the provider said of it.
func Connect(name id.Integration, p id.Project, d Draft, config Config, hook Hook, now time.Time) *Integration {
	i := &Integration{
		ID:        name,
		Project:   p,
		Type:      d.Type,
		CreatedAt: now,
	}
	i.take(d, config, hook, now)
	return i
}

// Reconnect takes a disconnected integration up again.
func (i *Integration) Reconnect(d Draft, config Config, hook Hook, now time.Time) error {
	if i.Status != Disconnected {
		return ErrExists()
	}
	i.take(d, config, hook, now)
	return nil
}

func (i *Integration) take(d Draft, config Config, hook Hook, now time.Time) {
	i.Name, i.Status, i.Config, i.Hook, i.LastError, i.UpdatedAt = d.Name, Connected, config, hook, "", now
	if strings.TrimSpace(i.Name) == "" {
		i.Name = d.Type.Label()
	}
}

// Rotate gives the integration new credentials of the same account, already sealed.
func (i *Integration) Rotate(sealed []byte, config Config, hook Hook, now time.Time) error {
	switch {
	case i.Status == Disconnected:
		return ErrDisconnected()
	case !config.Same(i.Config):
		return fault.Field("credentials.api_key", "belongs to another account: disconnect this one and connect that one")
	}
	i.Sealed, i.Hook, i.Status, i.LastError, i.UpdatedAt = sealed, hook, Connected, "", now
	i.Config.MayWriteOrders, i.Config.MayWriteDeals = config.MayWriteOrders, config.MayWriteDeals
	return nil
}

// Disconnect forgets the credentials. Once more it changes nothing.
func (i *Integration) Disconnect(now time.Time) {
	if i.Status == Disconnected {
		return
	}
	i.Status, i.Sealed, i.LastError, i.UpdatedAt = Disconnected, nil, "", now
	i.Wanted, i.Refreshing, i.Expires, i.NextSync = nil, time.Time{}, time.Time{}, time.Time{}
	i.Hook.Remote, i.Hook.Status = "", HookNone
}

// Failed notes that the provider refused the credentials that were the integration's at the time told. It
// reports whether that is news: those that were replaced since may well be refused.
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

// DealsWithdrawn notes that the account does not let us write deals with the credentials that were the integration's at a time. It
// reports whether that is news.
func (i *Integration) DealsWithdrawn(with, now time.Time) bool {
	if !i.UpdatedAt.Equal(with) || !i.WritesDeals() {
		return false
	}
	i.Config.MayWriteDeals, i.UpdatedAt = false, now
	return true
}

// Refreshed gives the integration the tokens that its platform exchanged for those before, already sealed.
// It is no change of anything that a merchant sees.
func (i *Integration) Refreshed(sealed []byte, expires time.Time) error {
	if i.Status == Disconnected {
		return ErrDisconnected()
	}
	i.Sealed, i.Expires, i.Refreshing = sealed, expires, time.Time{}
	return nil
}

// Want asks for resources to be read when there is time.
func (i *Integration) Want(resources ...syncrun.Resource) {
	for _, r := range resources {
		if i.Status != Disconnected && i.Config.Syncs(r) && !slices.Contains(i.Wanted, r) {
			i.Wanted = append(i.Wanted, r)
		}
	}
}

// Completed notes that a run has completed.
func (i *Integration) Completed(r *syncrun.Run) {
	i.Synced, i.LastSync = r.Watermarks(i.Synced), r.EndedAt
}

// Recovered notes that the provider takes the credentials again, and reports whether that is news.
func (i *Integration) Recovered(now time.Time) bool {
	if i.Status != Failing {
		return false
	}
	i.Status, i.LastError, i.UpdatedAt = Connected, "", now
	return true
}

// Route sends the project's payments by the integration's methods through it. A method that another one
// serves: Conflict integration_exists.
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

// Unroute takes the integration out of the project's routes.
func (i *Integration) Unroute(p *project.Project) {
	p.Routes = maps.Clone(p.Routes)
	maps.DeleteFunc(p.Routes, func(_ project.PaymentMethod, r project.PaymentRoute) bool { return r.Integration == i.ID })
	if len(p.Routes) == 0 {
		p.Routes = nil
	}
}

// ErrExists is the answer to connecting what is connected.
func ErrExists() *fault.Error {
	return fault.New(fault.Conflict, "integration_exists",
		"The project has such an integration. Disconnect it first, or give it other credentials.").With("type", "is connected")
}

// ErrDisconnected is the answer to whoever wants something of an integration that is disconnected.
func ErrDisconnected() *fault.Error {
	return fault.New(fault.Conflict, "integration_disconnected", "The integration is disconnected. Connect the account again.")
}
