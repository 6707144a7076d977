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
	o, transaction := openOffice(), openOffice()
	prepared, err := o.service().PrepareConnect(ports.NewOutbound(t.Context()), &o.shop, integration.Draft{
		Type:        integration.Stripe,
		Credentials: integration.Stripe.Given("sk_test_1", ""),
	})
	if err != nil || o.said() != asked || o.stored != nil {
		t.Fatalf("%v, said %s, stored %+v", err, o.said(), o.stored)
	}
	var after *integration.Integration
	for range 2 { // as when a transaction is repeated
		transaction.stored = nil
		if after, err = prepared.Commit(t.Context(), &ports.Stores{Integrations: transaction}); err != nil {
			t.Fatal(err)
		}
	}
	if o.stored != nil || len(transaction.stored) != 1 || after.ID != transaction.stored[0].ID || o.said() != asked {
		t.Errorf("stored %+v, in the transaction %+v, said %s", o.stored, transaction.stored, o.said())
	}
	prepared.Discard()
	if want := asked + "; remove we_1"; o.said() != want {
		t.Errorf("said %s, want %s", o.said(), want)
	}
}

func TestPrepareRotation(t *testing.T) {
	t.Parallel()
	o := openOffice()
	i, err := o.connect(t, "sk_test_1", "whsec_own")
	if err != nil {
		t.Fatal(err)
	}
	before := string(o.stored[0].Sealed)
	prepared, err := o.service().PrepareRotation(ports.NewOutbound(t.Context()), o.shop.ID, i.ID, "sk_test_2", "")
	if err != nil || string(o.stored[0].Sealed) != before {
		t.Fatalf("%v, stored %s", err, o.stored[0].Sealed)
	}
	if _, err := prepared.Commit(t.Context(), &ports.Stores{Integrations: o}); err != nil || o.credentials(t).Key != "sk_test_2" {
		t.Errorf("%v, %+v", err, o.credentials(t))
	}
}

func TestPrepareDisconnect(t *testing.T) {
	t.Parallel()
	o := openOffice()
	i, err := o.connect(t, "sk_test_1", "")
	if err != nil {
		t.Fatal(err)
	}
	commit, err := o.service().PrepareDisconnect(ports.NewOutbound(t.Context()), o.shop.ID, i.ID)
	if err != nil || o.stored[0].Status == integration.Disconnected {
		t.Fatalf("%v, %s", err, o.stored[0].Status)
	}
	if err := commit(t.Context(), &ports.Stores{Integrations: o}); err != nil || o.stored[0].Status != integration.Disconnected {
		t.Errorf("%v, %s", err, o.stored[0].Status)
	}
}

// stored stores what was prepared, and discards it where that fails.
func stored(tb testing.TB, s *connecting.Service, prepared *connecting.PreparedConnection, err error) (*integration.Integration, error) {
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
	return stored(tb, s, prepared, err)
}

func rotate(tb testing.TB, s *connecting.Service, i *integration.Integration, key, secret string) (*integration.Integration, error) {
	prepared, err := s.PrepareRotation(ports.NewOutbound(tb.Context()), i.Project, i.ID, key, secret)
	return stored(tb, s, prepared, err)
}

func disconnect(tb testing.TB, s *connecting.Service, i *integration.Integration) error {
	return s.Disconnect(ports.NewOutbound(tb.Context()), i.Project, i.ID)
}
