// Package privacy handles the privacy demands (GDPR) that a shop platform sends to an app: report the stored data of a
// customer, erase it, and forget a shop that has removed the app. It does not parse any platform's requests.
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

// Demand is a privacy request of a platform.
type Demand struct {
	Kind      Kind
	Type      integration.Type
	Store     string   // the shop's domain
	Email     string   // the customer's; "": the platform did not send it
	Customers []string // the platform's ids of the customer
	Orders    []string // the platform's ids of the customer's orders that the demand is about
	Request   string   // identifies the demand; a repeated demand has the same
}

// Kind of a demand.
type Kind struct{ action string }

var (
	ReportData  = Kind{audit.CustomerData}   // report a customer's stored data to the merchant
	Redact      = Kind{audit.CustomerRedact} // erase a customer's personal data
	Uninstalled = Kind{audit.AppUninstalled} // the shop removed the app
	RedactShop  = Kind{audit.ShopRedact}     // erase imported personal data, some time after the shop removed the app
)

// Found counts the records of a buyer that were found or erased.
type Found struct {
	Subject  string // the buyer's pseudonym
	Sessions int
	Orders   int
	Records  int // imported from platforms
	Pending  int // still in progress, not erased
	More     bool
}

// Service carries out a demand in every project that has or had the shop connected.
type Service struct {
	InUse    ports.IntegrationsInUse
	Projects ports.ProjectFinder
	Accounts ports.IntegrationAccounts
	// Connectors, by type, check whether a platform still accepts an integration's credentials.
	Connectors map[string]ports.Connector
	Disconnect func(ctx ports.Outbound, project id.Project, of id.Integration) error
	// Count and Erase count and erase the data stored about the buyer with an e-mail address. A malformed address: Invalid.
	Count    func(ctx context.Context, project id.Project, email string) (Found, error)
	Erase    func(ctx context.Context, project id.Project, email string) (Found, error)
	Imported ports.ImportedPeople
	// Begin runs work in a transaction.
	Begin   func(ctx context.Context, work func(Books) error) error
	Clock   ports.Clock
	Entropy ports.Entropy
	Log     *slog.Logger
}

// Books are the stores that a demand is recorded in.
type Books struct {
	Audit   ports.AuditLog
	Records ports.Records
	Events  ports.Announcements
}

// Do carries out a demand. It is idempotent; after an error part of the work may be missing, so call it again. A shop that
// nobody has connected is not an error.
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
	case ReportData:
		return s.announceRequest(ctx, d, i)
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

// outcome is what the audit log records of a demand: counts, no personal data.
type outcome struct {
	Request  string `json:"request"`
	Sessions int    `json:"sessions"`
	Orders   int    `json:"orders"`
	Records  int    `json:"platform_records"`
	Pending  int    `json:"pending,omitempty"` // in progress; the merchant must erase them later
	More     bool   `json:"more,omitempty"`    // more exist than one call counts or erases
}

// announceRequest announces a data request to the merchant, who then exports the customer's data.
func (s *Service) announceRequest(ctx ports.Outbound, d Demand, i *integration.Integration) error {
	found := Found{}
	if d.Email != "" {
		var err error
		if found, err = s.Count(ctx, i.Project, d.Email); ignoreBadAddress(err) != nil {
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
		if err := ignoreBadAddress(err); err != nil {
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

// ignoreBadAddress drops the error for a malformed e-mail address, because nothing is stored under one.
func ignoreBadAddress(err error) error {
	if fault.KindOf(err) == fault.Invalid {
		return nil
	}
	return err
}

// forget disconnects an integration whose credentials the platform no longer accepts, and reports whether it is disconnected.
// It leaves a shop alone that has installed the app again since, because a demand may come late.
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

// looksBack is how many earlier demands of a kind and project are searched for the same one.
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
