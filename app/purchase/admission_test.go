package purchase_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// fakeAdmission counts the payments that are under way.
type fakeAdmission struct {
	refusal error
	under   int
	asked   int
}

func (a *fakeAdmission) Admit(project.PaymentRoute) (leave func(), err error) {
	a.asked++
	if a.refusal != nil {
		return func() {}, a.refusal
	}
	a.under++
	return func() { a.under-- }, nil
}

// A payment that is not admitted changes neither the checkout nor its stock. One that has begun needs no admission to be resolved.
func TestFinalize_admission(t *testing.T) {
	t.Parallel()
	s, service := ready(t)
	a := &fakeAdmission{refusal: fault.New(fault.Unavailable, "payment_unavailable", "Not now.")}
	service.Admission = a
	_, err := s.pay(t, service)
	expectFault(t, err, "payment_unavailable")
	if s.charges != 0 || s.ended != 0 || s.checkout.Status() != checkout.Ready {
		t.Errorf("%d charges, %d transactions, the checkout is %s", s.charges, s.ended, s.checkout.Status())
	}
	a.refusal = nil
	s.charging = func() {
		if a.under != 1 {
			t.Errorf("%d payments are under way", a.under)
		}
	}
	if result, err := s.pay(t, service); err != nil || orderOf(result) == nil || a.under != 0 {
		t.Errorf("%+v, %v, %d payments are under way afterwards", result, err, a.under)
	}
	a.refusal, a.asked = fault.New(fault.Unavailable, "payment_unavailable", "Not now."), 0
	if result, err := s.pay(t, service); err != nil || orderOf(result) == nil || a.asked != 0 {
		t.Errorf("the order that is there already: %+v, %v", result, err)
	}
}
