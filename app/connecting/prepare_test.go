package connecting_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func TestPrepareConnect(t *testing.T) {
	t.Parallel()
	const asked = "inspect sk_test_1; register https://shop/hooks/wh_0"
	f, transaction := newPaymentFixture(), newPaymentFixture()
	prepared, err := f.service().PrepareConnect(ports.NewOutbound(t.Context()), &f.shop, integration.Draft{
		Type:        integration.Stripe,
		Credentials: integration.Stripe.Given("sk_test_1", ""),
	})
	if err != nil || f.requests() != asked || f.stored != nil {
		t.Fatalf("%v, said %s, stored %+v", err, f.requests(), f.stored)
	}
	var after *integration.Integration
	for range 2 { // as if a transaction were repeated
		transaction.stored = nil
		if after, err = prepared.Commit(t.Context(), &ports.Stores{Integrations: transaction}); err != nil {
			t.Fatal(err)
		}
	}
	if f.stored != nil || len(transaction.stored) != 1 || after.ID != transaction.stored[0].ID || f.requests() != asked {
		t.Errorf("stored %+v, in the transaction %+v, said %s", f.stored, transaction.stored, f.requests())
	}
	prepared.Discard()
	if want := asked + "; remove we_1"; f.requests() != want {
		t.Errorf("said %s, want %s", f.requests(), want)
	}
}

func TestPrepareRotation(t *testing.T) {
	t.Parallel()
	f := newPaymentFixture()
	i, err := f.connect(t, "sk_test_1", "whsec_own")
	if err != nil {
		t.Fatal(err)
	}
	before := string(f.stored[0].Sealed)
	prepared, err := f.service().PrepareRotation(ports.NewOutbound(t.Context()), f.shop.ID, i.ID, "sk_test_2", "")
	if err != nil || string(f.stored[0].Sealed) != before {
		t.Fatalf("%v, stored %s", err, f.stored[0].Sealed)
	}
	if _, err := prepared.Commit(t.Context(), &ports.Stores{Integrations: f}); err != nil || f.credentials(t).Key != "sk_test_2" {
		t.Errorf("%v, %+v", err, f.credentials(t))
	}
}

func TestPrepareDisconnect(t *testing.T) {
	t.Parallel()
	f := newPaymentFixture()
	i, err := f.connect(t, "sk_test_1", "")
	if err != nil {
		t.Fatal(err)
	}
	commit, err := f.service().PrepareDisconnect(ports.NewOutbound(t.Context()), f.shop.ID, i.ID)
	if err != nil || f.stored[0].Status == integration.Disconnected {
		t.Fatalf("%v, %s", err, f.stored[0].Status)
	}
	if err := commit(t.Context(), &ports.Stores{Integrations: f}); err != nil || f.stored[0].Status != integration.Disconnected {
		t.Errorf("%v, %s", err, f.stored[0].Status)
	}
}

// commit commits what was prepared, and discards it if that fails.
func commit(tb testing.TB, s *connecting.Service, prepared *connecting.PreparedConnection, err error) (*integration.Integration, error) {
	if err != nil {
		return nil, err
	}
	i, err := prepared.Commit(tb.Context(), s.Stores)
	if err != nil && prepared.Discard != nil {
		prepared.Discard()
	}
	return i, err
}

func connect(tb testing.TB, s *connecting.Service, p *project.Project, d integration.Draft) (*integration.Integration, error) {
	prepared, err := s.PrepareConnect(ports.NewOutbound(tb.Context()), p, d)
	return commit(tb, s, prepared, err)
}

func rotate(tb testing.TB, s *connecting.Service, i *integration.Integration, key, secret string) (*integration.Integration, error) {
	prepared, err := s.PrepareRotation(ports.NewOutbound(tb.Context()), i.Project, i.ID, key, secret)
	return commit(tb, s, prepared, err)
}

func disconnect(tb testing.TB, s *connecting.Service, i *integration.Integration) error {
	return s.Disconnect(ports.NewOutbound(tb.Context()), i.Project, i.ID)
}
