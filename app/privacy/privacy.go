// Package privacy does what a shop platform demands of an app in the name of its shops and their customers: to tell what is
// kept of a customer, to erase it, and to forget a shop that has removed the app. It knows no platform's requests.
package privacy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// Demand is what a platform demands.
type Demand struct {
	Kind      Kind
	Type      integration.Type
	Store     string   // the shop's domain
	Email     string   // the customer's; "": it is not told
	Customers []string // the platform's ids of the customer
	Orders    []string // the platform's ids of the customer's orders that are meant
	Request   string   // names the demand, the same whenever it is repeated
}

// Kind of a demand.
type Kind struct{ action string }

var (
	Tell        = Kind{audit.CustomerData}   // what is kept of a customer, to the merchant
	Redact      = Kind{audit.CustomerRedact} // a customer's personal data
	Uninstalled = Kind{audit.AppUninstalled} // the shop removed the app
	RedactShop  = Kind{audit.ShopRedact}     // what was imported of people, some time after that
)

// Found is what was counted, or erased, of a buyer.
type Found struct {
	Subject  string // the buyer's pseudonym
	Sessions int
	Orders   int
	Records  int // of platforms
	Pending  int // what is in progress
	More     bool
}

// Service does what is demanded, in every project that has or had the shop connected.
type Service struct {
	InUse    ports.IntegrationsInUse
	Projects ports.ProjectFinder
	Accounts ports.IntegrationAccounts
	// Connectors tell, by type, whether a platform still takes an integration's credentials.
	Connectors map[string]ports.Connector
	Disconnect func(ctx ports.Outbound, project id.Project, of id.Integration) error
	// Count and Erase are of what is kept of a buyer by an e-mail address. What is none: Invalid.
	Count    func(ctx context.Context, project id.Project, email string) (Found, error)
	Erase    func(ctx context.Context, project id.Project, email string) (Found, error)
	Imported ports.ImportedPeople
	// Begin runs work in a transaction.
	Begin   func(ctx context.Context, work func(Books) error) error
	Clock   ports.Clock
	Entropy ports.Entropy
	Log     *slog.Logger
}

// Books are where a demand is written down.
type Books struct {
	Audit   ports.AuditLog
	Records ports.Records
	Events  ports.Announcements
}

// Do does what is demanded. Repeating it changes nothing. After an error some of it may not be done: it is to be repeated.
// A shop that nobody has connected is no error.
func (s *Service) Do(ctx ports.Outbound, d Demand) error {
	list, err := s.InUse.ByStore(ctx, d.Type, d.Store)
	if err != nil {
		return err
	}
	s.Log.InfoContext(ctx, "a platform demands something of its app", "platform", d.Type.String(), "demand", d.Kind.action, "integrations", len(list))
	var failed error
	for _, i := range list {
		err := s.forOne(ctx, d, i)
		if err != nil && fault.KindOf(err) != fault.NotFound { // else the project is gone
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func (s *Service) forOne(ctx ports.Outbound, d Demand, i *integration.Integration) error {
	switch d.Kind {
	case Tell:
		return s.tell(ctx, d, i)
	case Redact:
		return s.redact(ctx, d, i)
	}
	gone, err := s.forget(ctx, d, i)
	if err != nil || !gone {
		return err
	}
	done := outcome{}
	if d.Kind == RedactShop {
		if done.Records, err = s.Imported.Erase(ctx, i.Project, i.ID, nil, nil); err != nil {
			return err
		}
	}
	return s.record(ctx, d, i, i.ID.String(), done, nil)
}

// outcome is what the audit log says of a demand: numbers, and no personal data.
type outcome struct {
	Request  string `json:"request"`
	Sessions int    `json:"sessions"`
	Orders   int    `json:"orders"`
	Records  int    `json:"platform_records"`
	Pending  int    `json:"pending,omitempty"` // in progress, to be erased by the merchant once they are not
	More     bool   `json:"more,omitempty"`    // there is more than was counted or erased at once
}

// tell announces the request to the merchant, who exports what is kept.
func (s *Service) tell(ctx ports.Outbound, d Demand, i *integration.Integration) error {
	found := Found{}
	if d.Email != "" {
		var err error
		if found, err = s.Count(ctx, i.Project, d.Email); invalidAddress(err) != nil {
			return err
		}
	}
	customer := ""
	if len(d.Customers) > 0 {
		customer = d.Customers[0]
	}
	done := outcome{
		Sessions: found.Sessions,
		Orders:   found.Orders,
		Records:  found.Records,
		More:     found.More,
	}
	return s.record(ctx, d, i, cmp.Or(found.Subject, i.ID.String()), done, event.CustomerDataRequested{
		Integration: i.ID,
		Platform:    i.Type.String(),
		Subject:     found.Subject,
		Customer:    customer,
		Orders:      d.Orders,
		Sessions:    found.Sessions,
		Placed:      found.Orders,
		Records:     found.Records,
	})
}

func (s *Service) redact(ctx ports.Outbound, d Demand, i *integration.Integration) error {
	target, done := i.ID.String(), outcome{}
	for more := d.Email != ""; more; {
		erased, err := s.Erase(ctx, i.Project, d.Email)
		if err := invalidAddress(err); err != nil {
			return err
		}
		if erased.Subject != "" {
			target = erased.Subject
		}
		done.Sessions, done.Orders, done.Records = done.Sessions+erased.Sessions, done.Orders+erased.Orders, done.Records+erased.Records
		done.Pending = erased.Pending
		more = erased.More && erased.Sessions > 0
	}
	if len(d.Customers)+len(d.Orders) > 0 {
		n, err := s.Imported.Erase(ctx, i.Project, i.ID, append([]string{}, d.Customers...), append([]string{}, d.Orders...))
		if err != nil {
			return err
		}
		done.Records += n
	}
	return s.record(ctx, d, i, target, done, nil)
}

// invalidAddress lets what is no e-mail address pass: nothing is kept by it.
func invalidAddress(err error) error {
	if fault.KindOf(err) == fault.Invalid {
		return nil
	}
	return err
}

// forget disconnects an integration whose credentials the platform takes no more, and reports whether it is disconnected. A
// shop that has installed the app again since is left alone, however late the demand comes.
func (s *Service) forget(ctx ports.Outbound, d Demand, i *integration.Integration) (gone bool, err error) {
	if i.Status == integration.Disconnected {
		return true, nil
	}
	err = s.Accounts.Use(ctx, i, func(c ports.Connection) error {
		_, err := s.Connectors[i.Type.String()].Inspect(ctx, c)
		return err
	})
	switch {
	case err == nil:
		s.Log.WarnContext(ctx, "a shop that is said to have removed the app takes its credentials: nothing is done", "integration", i.ID.String(), "demand", d.Kind.action)
		return false, nil
	case errors.Is(err, ports.ErrCredentialsRefused), fault.Is(err, integration.ErrDisconnected().Code):
		return true, s.Disconnect(ctx, i.Project, i.ID)
	}
	return false, fault.New(fault.Unavailable, "provider_unavailable", "The platform did not say whether the app is removed.").Because(err)
}

// record writes the demand into the audit log and announces an event, unless that is nil, in one transaction. A repeated
// demand is recorded once.
func (s *Service) record(ctx context.Context, d Demand, i *integration.Integration, target string, done outcome, announced event.Data) error {
	p, err := s.Projects.ByProject(ctx, i.Project)
	if err != nil {
		return err
	}
	done.Request = d.Request
	text, err := json.Marshal(done)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(d.Kind.action + "\n" + d.Request + "\n" + i.ID.String()))
	entry := &audit.Event{
		ID:      id.New[id.AuditEvent]([16]byte(sum[:16])),
		Account: p.Account,
		Project: i.Project,
		Action:  d.Kind.action,
		Target:  target,
		At:      s.Clock.Now(),
		After:   string(text),
	}
	return s.Begin(ctx, func(books Books) error {
		known, err := s.recorded(ctx, books.Audit, entry)
		if err != nil || known {
			return err
		}
		if announced != nil {
			if err := books.Events.Announce(ctx, event.New(s.Entropy.IDBits(), i.Project, entry.At, announced)); err != nil {
				return err
			}
		}
		return books.Records.Record(ctx, ports.Record{Event: entry})
	})
}

// looksBack is how many demands of a kind and project are looked through for one that is repeated.
const looksBack = 1000

func (s *Service) recorded(ctx context.Context, log ports.AuditLog, e *audit.Event) (bool, error) {
	list, _, err := log.Events(ctx, e.Account, ports.AuditFilter{Projects: []id.Project{e.Project}, Action: e.Action}, ports.Page{Limit: looksBack})
	for _, one := range list {
		if one.ID == e.ID {
			return true, nil
		}
	}
	return false, err
}
