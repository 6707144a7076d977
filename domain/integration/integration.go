// Package integration is what a project is connected to outside: so far payment providers, through which
// the project's payments go.
//
//	(none) ── Connect ──> connected <── Recovered, Rotate ──> error
//	                          │  └── Failed ───────────────────┘
//	                          └── Disconnect (also from error) ──> disconnected ── Reconnect ──> connected
//
// A disconnected integration has no credentials. It stays, for its payments name it, and connecting the
// same account again takes it up again, so that they can be given back.
package integration

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
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

// Config is what the provider says of the account.
type Config struct {
	Account string
	Live    bool // its money is real
}

// Integration is a project's account with a provider.
type Integration struct {
	ID        id.Integration
	Project   id.Project
	Type      Type
	Name      string
	Status    Status
	Config    Config
	Hook      Hook
	Sealed    []byte // credentials; none when disconnected
	LastError string // why Status is error, in words for the merchant
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Draft is what a merchant gives to connect an account.
type Draft struct {
	Type        Type
	Name        string // empty: the type's
	Credentials Credentials
}

// Check gathers what is wrong with the draft, in an environment whose money is real or not.
func (d Draft) Check(c fault.Check, live bool) {
	c.That(utf8.RuneCountInString(d.Name) <= 200 && !strings.ContainsFunc(d.Name, unicode.IsControl), "name",
		"must be a line of at most 200 characters")
	d.Type.checkCredentials(c, d.Credentials, live)
}

// Connect makes an integration from a draft that was checked, and from what the provider said of it.
func Connect(name id.Integration, p id.Project, d Draft, config Config, hook Hook, now time.Time) *Integration {
	i := &Integration{ID: name, Project: p, Type: d.Type, CreatedAt: now}
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
	case config != i.Config:
		return fault.Field("credentials.api_key", "belongs to another account: disconnect this one and connect that one")
	}
	i.Sealed, i.Hook, i.Status, i.LastError, i.UpdatedAt = sealed, hook, Connected, "", now
	return nil
}

// Disconnect forgets the credentials. Once more it changes nothing.
func (i *Integration) Disconnect(now time.Time) {
	if i.Status == Disconnected {
		return
	}
	i.Status, i.Sealed, i.LastError, i.UpdatedAt = Disconnected, nil, "", now
	i.Hook.Remote, i.Hook.Status = "", HookNone
}

// Failed notes that the provider refused the credentials that were the integration's at the time told. It
// tells whether that is news: those that were replaced since may well be refused.
func (i *Integration) Failed(with time.Time, why string, now time.Time) bool {
	if i.Status == Disconnected || !i.UpdatedAt.Equal(with) || i.Status == Failing && i.LastError == why {
		return false
	}
	i.Status, i.LastError, i.UpdatedAt = Failing, why, now
	return true
}

// Recovered notes that the provider takes the credentials again, and tells whether that is news.
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
	routes := map[string]project.PaymentRoute{}
	for method, r := range p.Routes {
		routes[method] = r
	}
	for _, method := range i.Type.Methods() {
		routes[method] = project.PaymentRoute{Provider: i.Type.String(), Integration: i.ID}
	}
	p.Routes = routes
	return nil
}

// Unroute takes the integration out of the project's routes.
func (i *Integration) Unroute(p *project.Project) {
	var routes map[string]project.PaymentRoute
	for method, r := range p.Routes {
		if r.Integration == i.ID {
			continue
		}
		if routes == nil {
			routes = map[string]project.PaymentRoute{}
		}
		routes[method] = r
	}
	p.Routes = routes
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
