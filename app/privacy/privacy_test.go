package privacy_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/privacy"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const store = "trailhead.myshopify.com"

// fixture is a store with the integrations of one platform's shop, and the platform itself.
type fixture struct {
	ports.IntegrationsInUse
	ports.AuditLog

	list         []*integration.Integration
	gone         []id.Project // deleted projects
	found        privacy.Found
	counting     error
	erased       []privacy.Found // the results of successive calls of Erase
	imported     [][]string      // customers and orders whose imported records were erased
	inspected    error
	disconnected []id.Integration
	log          []audit.Event
	announced    []*event.Event
	announcing   error
}

func open(projects ...byte) *fixture {
	s := &fixture{}
	for _, n := range projects {
		s.list = append(s.list, &integration.Integration{
			ID:      id.New[id.Integration]([16]byte{n}),
			Project: id.New[id.Project]([16]byte{n}),
			Type:    integration.Shopify,
			Status:  integration.Connected,
		})
	}
	return s
}

func (s *fixture) service() *privacy.Service {
	return &privacy.Service{
		InUse:      s,
		Projects:   s,
		Accounts:   platform{s},
		Connectors: map[string]ports.Connector{"shopify": platform{s}},
		Disconnect: func(_ ports.Outbound, _ id.Project, of id.Integration) error {
			s.disconnected = append(s.disconnected, of)
			return nil
		},
		Count: func(context.Context, id.Project, string) (privacy.Found, error) { return s.found, s.counting },
		Erase: func(context.Context, id.Project, string) (found privacy.Found, err error) {
			found, s.erased = s.erased[0], s.erased[1:]
			return found, nil
		},
		Imported: people{s},
		Begin:    s.begin,
		Clock:    s,
		Entropy:  s,
		Log:      slog.New(slog.DiscardHandler),
	}
}

// begin rolls back if work fails.
func (s *fixture) begin(_ context.Context, work func(privacy.Books) error) error {
	entries, events := len(s.log), len(s.announced)
	err := work(privacy.Books{
		Audit:   s,
		Records: s,
		Events:  s,
	})
	if err != nil {
		s.log, s.announced = s.log[:entries], s.announced[:events]
	}
	return err
}

func (s *fixture) ByStore(_ context.Context, of integration.Type, domain string) ([]*integration.Integration, error) {
	if of != integration.Shopify || domain != store {
		return nil, nil
	}
	return s.list, nil
}

func (s *fixture) ByProject(_ context.Context, wanted id.Project) (*project.Project, error) {
	if slices.Contains(s.gone, wanted) {
		return nil, fault.Missing("project")
	}
	return &project.Project{ID: wanted}, nil
}

// platform is the fake platform that accepts or refuses the shops' credentials.
type platform struct{ *fixture }

func (p platform) Use(_ ports.Outbound, _ *integration.Integration, work func(ports.Connection) error) error {
	return work(ports.Connection{})
}

func (p platform) Inspect(ports.Outbound, ports.Connection) (integration.Config, error) {
	return integration.Config{}, p.inspected
}

func (p platform) Read(ports.Outbound, ports.Connection, ports.PageRequest) (page ports.RecordPage, err error) {
	return page, errors.New("nothing is read")
}

func (s *fixture) Events(_ context.Context, _ id.Account, f ports.AuditFilter, _ ports.Page) (list []audit.Event, total int, err error) {
	for _, e := range s.log {
		if e.Action == f.Action && slices.Contains(f.Projects, e.Project) {
			list = append(list, e)
		}
	}
	return list, len(list), nil
}

func (s *fixture) Record(_ context.Context, r ports.Record) error {
	s.log = append(s.log, *r.Event)
	return nil
}

func (s *fixture) Announce(_ context.Context, e *event.Event) error {
	s.announced = append(s.announced, e)
	return s.announcing
}

func (s *fixture) Now() time.Time      { return noon }
func (s *fixture) IDBits() [16]byte    { return [16]byte{byte(len(s.announced) + 1)} }
func (s *fixture) Bits128() [16]byte   { return s.IDBits() }
func (s *fixture) Secret(n int) string { return strings.Repeat("s", n) }

// people is a fake ports.ImportedPeople.
type people struct{ *fixture }

func (p people) Erase(_ context.Context, _ id.Project, _ id.Integration, customers, orders []string) (int, error) {
	p.imported = append(p.imported, customers, orders)
	return len(customers) + len(orders), nil
}

func demand(kind privacy.Kind) privacy.Demand {
	return privacy.Demand{
		Kind:      kind,
		Type:      integration.Shopify,
		Store:     store,
		Email:     "ada@example.com",
		Customers: []string{"7"},
		Orders:    []string{"11"},
		Request:   "r-1",
	}
}

func do(t *testing.T, s *fixture, d privacy.Demand) error {
	t.Helper()
	return s.service().Do(ports.NewOutbound(t.Context()), d)
}

func TestService_Do_dataRequest(t *testing.T) {
	t.Parallel()
	s := open(1, 2)
	s.found = privacy.Found{
		Subject:  "buyer_5f",
		Sessions: 3,
		Orders:   2,
		Records:  4,
	}
	for range 2 { // Shopify repeats a webhook that got no response
		if err := do(t, s, demand(privacy.ReportData)); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.log) != 2 || len(s.announced) != 2 {
		t.Fatalf("%d entries of the audit log and %d events, want one of each in each project", len(s.log), len(s.announced))
	}
	for n, i := range s.list {
		data := s.announced[n].Data.(event.CustomerDataRequested)
		if s.announced[n].Project != i.Project || data.Integration != i.ID || data.Subject != "buyer_5f" || data.Placed != 2 || data.Sessions != 3 ||
			data.Records != 4 || data.Customer != "7" || !slices.Equal(data.Orders, []string{"11"}) {
			t.Errorf("project %d: %+v", n, data)
		}
		if e := s.log[n]; e.Target != "buyer_5f" || strings.Contains(e.After, "ada@") {
			t.Errorf("the audit log says %+v", e)
		}
	}
}

// Shopify sends no e-mail address for some customers, and a malformed one for others.
func TestService_Do_dataRequestWithoutAddress(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*fixture, *privacy.Demand){
		"none":        func(_ *fixture, d *privacy.Demand) { d.Email = "" },
		"no address":  func(s *fixture, _ *privacy.Demand) { s.counting = fault.Field("email", "must be an e-mail address") },
		"unknown one": func(*fixture, *privacy.Demand) {},
	} {
		s, d := open(1), demand(privacy.ReportData)
		change(s, &d)
		if err := do(t, s, d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(s.log) != 1 || len(s.announced) != 1 || s.log[0].Target != s.list[0].ID.String() {
			t.Errorf("%s: %+v, %d events", name, s.log, len(s.announced))
		}
	}
}

func TestService_Do_failures(t *testing.T) {
	t.Parallel()
	s := open(1, 2)
	s.counting = errors.New("the database is gone")
	if err := do(t, s, demand(privacy.ReportData)); !errors.Is(err, s.counting) || len(s.log)+len(s.announced) != 0 {
		t.Errorf("%v, %d entries, %d events", err, len(s.log), len(s.announced))
	}
	s.counting, s.announcing = nil, errors.New("the outbox is gone")
	if err := do(t, s, demand(privacy.ReportData)); !errors.Is(err, s.announcing) || len(s.log)+len(s.announced) != 0 {
		t.Errorf("%v, %d entries, %d events: one without the other", err, len(s.log), len(s.announced))
	}
	s.announcing, s.gone = nil, []id.Project{s.list[0].Project}
	if err := do(t, s, demand(privacy.ReportData)); err != nil || len(s.log) != 1 || s.log[0].Project != s.list[1].Project {
		t.Errorf("beside a project that was deleted: %v, %+v", err, s.log)
	}
	other := demand(privacy.ReportData)
	other.Store = "other.myshopify.com"
	if err := do(t, s, other); err != nil || len(s.log) != 1 {
		t.Errorf("a shop that nobody has connected: %v", err)
	}
}

func TestService_Do_redact(t *testing.T) {
	t.Parallel()
	s := open(1)
	s.erased = []privacy.Found{
		{Subject: "buyer_5f", Sessions: 50, Orders: 3, More: true},
		{Subject: "buyer_5f", Sessions: 7, Records: 1, Pending: 2},
	}
	if err := do(t, s, demand(privacy.Redact)); err != nil {
		t.Fatal(err)
	}
	want := `{"request":"r-1","sessions":57,"orders":3,"platform_records":3,"pending":2}`
	if len(s.log) != 1 || s.log[0].After != want || s.log[0].Target != "buyer_5f" || len(s.announced) != 0 {
		t.Errorf("%+v", s.log)
	}
	if len(s.imported) != 2 || !slices.Equal(s.imported[0], []string{"7"}) || !slices.Equal(s.imported[1], []string{"11"}) {
		t.Errorf("copies of %v were erased", s.imported)
	}
}

func TestService_Do_uninstalled(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind        privacy.Kind
		inspected   error
		status      integration.Status
		fails       bool
		disconnects int
		recorded    int
		erases      int
	}{
		"gone":               {privacy.Uninstalled, ports.ErrCredentialsRefused, integration.Connected, false, 1, 1, 0},
		"installed again":    {privacy.Uninstalled, nil, integration.Connected, false, 0, 0, 0},
		"no answer":          {privacy.Uninstalled, errors.New("no answer"), integration.Connected, true, 0, 0, 0},
		"redacted":           {privacy.RedactShop, ports.ErrCredentialsRefused, integration.Connected, false, 1, 1, 2},
		"redacted long ago":  {privacy.RedactShop, nil, integration.Disconnected, false, 0, 1, 2},
		"redacted, in use":   {privacy.RedactShop, nil, integration.Connected, false, 0, 0, 0},
		"redacted, no reply": {privacy.RedactShop, errors.New("no answer"), integration.Connected, true, 0, 0, 0},
	} {
		s := open(1)
		s.inspected, s.list[0].Status = test.inspected, test.status
		err := do(t, s, demand(test.kind))
		if (err != nil) != test.fails || len(s.disconnected) != test.disconnects || len(s.log) != test.recorded || len(s.imported) != test.erases {
			t.Errorf("%s: %v, %d disconnected, %d recorded, erased %v", name, err, len(s.disconnected), len(s.log), s.imported)
		}
	}
}
