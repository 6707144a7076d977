package connecting_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/integration"
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
	for range 2 { // as when a transaction is repeated
		transaction.stored = nil
		if err := prepared.Commit(t.Context(), &ports.Stores{Integrations: transaction}); err != nil {
			t.Fatal(err)
		}
	}
	if o.stored != nil || len(transaction.stored) != 1 || prepared.After.ID != transaction.stored[0].ID || o.said() != asked {
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
	if err := prepared.Commit(t.Context(), &ports.Stores{Integrations: o}); err != nil || o.credentials(t).Key != "sk_test_2" {
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
	prepared, err := o.service().PrepareDisconnect(ports.NewOutbound(t.Context()), o.shop.ID, i.ID)
	if err != nil || o.stored[0].Status == integration.Disconnected {
		t.Fatalf("%v, %s", err, o.stored[0].Status)
	}
	if err := prepared.Commit(t.Context(), &ports.Stores{Integrations: o}); err != nil || o.stored[0].Status != integration.Disconnected {
		t.Errorf("%v, %s", err, o.stored[0].Status)
	}
}
