package purchase_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// stripeGateway checks ids of charges as a real provider does.
type stripeGateway struct{ ports.Gateway }

func (stripeGateway) ChargeForm(_ project.PaymentRoute, named string) string {
	if named == "pi_1" {
		return ""
	}
	return "must begin with pi_"
}

// A charge through a real provider needs the provider's id of the charge.
func TestResolveManually_chargeID(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	s.broken["charge"] = errGone
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unresolved")
	s.now = s.now.Add(checkout.DecidableAfter)
	snapshot := s.checkout.Snapshot()
	if snapshot.Problem == "" {
		t.Error("nothing says why the outcome is not known")
	}
	snapshot.Payment.Route.Provider = "stripe"
	s.checkout = checkout.Rehydrate(snapshot)
	service.Gateway = stripeGateway{s}
	for _, c := range []struct {
		r      purchase.ManualResolution
		fields []string
	}{
		{purchase.ManualResolution{Charged: true}, []string{"reason"}},
		{purchase.ManualResolution{Charged: true, Reason: "x"}, []string{"provider_charge_id"}},
		{purchase.ManualResolution{
			Charged: true,
			Charge:  "ch_1",
			Reason:  "x",
		}, []string{"provider_charge_id"}},
		{purchase.ManualResolution{Charge: "pi_1", Reason: "x"}, []string{"provider_charge_id"}},
	} {
		c.r.Checkout = s.checkout.ID()
		_, err := resolveManually(service, ports.NewOutbound(t.Context()), s.project, c.r)
		expectFault(t, err, "validation_error", c.fields...)
	}
	service.Gateway = s // does not check ids
	_, err = resolveManually(service, ports.NewOutbound(t.Context()), s.project, purchase.ManualResolution{
		Checkout: s.checkout.ID(),
		Charged:  true,
		Reason:   "x",
	})
	expectFault(t, err, "validation_error", "provider_charge_id")
	resolved, err := resolveManually(service, ports.NewOutbound(t.Context()), s.project, purchase.ManualResolution{
		Checkout: s.checkout.ID(),
		Charged:  true,
		Charge:   "pi_1",
		Reason:   "Seen in the dashboard",
	})
	if err != nil || resolved.Order == nil || s.checkout.Status() != checkout.Completed {
		t.Errorf("%+v, %v", resolved, err)
	}
}
