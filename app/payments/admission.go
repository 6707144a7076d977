package payments

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// maxSkew is the maximum difference between a provider's clock and ours. It is limited because times of both clocks decide
	// whether a charge was made.
	maxSkew = time.Minute

	maxCharging = 32               // payments under way per integration
	maxFailures = 5                // consecutive charges without an answer that open the breaker
	cooldown    = 10 * time.Second // how long the breaker stays open
	maxCircuits = 10_000           // integrations with a breaker
)

// TooFarApart reports whether skew is too large to process payments with these two clocks.
func TooFarApart(skew time.Duration) bool { return skew.Abs() > maxSkew }

var (
	errUnavailable = fault.New(fault.Unavailable, "payment_unavailable",
		"The shop's payment provider is not responding. Nothing was charged.").After(cooldown)
	errClock = fault.New(fault.Unavailable, "payment_unavailable",
		"The shop cannot accept this payment at the moment. Nothing was charged.").After(time.Minute)
	errBusy = fault.New(fault.Unavailable, "overloaded",
		"Too many payments of this shop are in progress. Nothing was charged. Try again.").After(2 * time.Second)
)

// Admission decides whether a payment through an integration may begin. It refuses payments while the integration's circuit
// breaker is open because the provider hangs or fails, while the provider's clock is wrong, and while too many payments of the
// integration are under way. It never refuses to charge, resolve or refund a payment that has begun, so that an open breaker
// makes no outcome unknown.
type Admission struct {
	clocks   map[string]ports.RemoteClock // by provider
	circuits bulkhead.Cache[id.Integration, *circuit]

	mu       sync.Mutex
	charging map[id.Integration]int
}

var _ ports.PaymentAdmission = (*Admission)(nil)

type circuit = gobreaker.TwoStepCircuitBreaker[struct{}]

// NewAdmission returns an Admission with closed breakers. The clocks are those of the providers that report their time.
func NewAdmission(clocks map[string]ports.RemoteClock) *Admission {
	return &Admission{
		clocks:   clocks,
		circuits: bulkhead.NewCache[id.Integration](maxCircuits, newCircuit),
		charging: map[id.Integration]int{},
	}
}

// Admit implements ports.PaymentAdmission.
func (a *Admission) Admit(r project.PaymentRoute) (leave func(), err error) {
	none := func() {}
	if r.Integration.IsZero() { // the sandbox, which runs in this process
		return none, nil
	}
	if clock, ok := a.clocks[r.Provider]; ok {
		if skew, known := clock.Skew(); known && TooFarApart(skew) {
			return none, errClock
		}
	}
	state := a.circuits.Of(r.Integration).State()
	a.mu.Lock()
	defer a.mu.Unlock()
	switch charging := a.charging[r.Integration]; {
	case state == gobreaker.StateOpen, state == gobreaker.StateHalfOpen && charging > 0: // only one payment probes the provider
		return none, errUnavailable
	case charging >= maxCharging:
		return none, errBusy
	}
	a.charging[r.Integration]++
	return sync.OnceFunc(func() { a.leave(r.Integration) }), nil
}

func (a *Admission) leave(i id.Integration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.charging[i]--; a.charging[i] == 0 {
		delete(a.charging, i)
	}
}

// begin records in the breaker that a charge is sent. The caller passes the charge's error to done. begin never prevents the
// charge.
func (a *Admission) begin(i id.Integration) (done func(error)) {
	if a == nil || i.IsZero() {
		return func(error) {}
	}
	done, err := a.circuits.Of(i).Allow()
	if err != nil { // it was admitted before the breaker opened, or is not the probe
		return func(error) {}
	}
	return done
}

func newCircuit() *circuit {
	return gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:      cooldown,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= maxFailures },
		IsSuccessful: answered,
		IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
	})
}

// answered reports whether the provider answered a charge. A refusal of the shop's account counts as an answer. So does an
// undecided outcome, because otherwise buyers could open the breaker by their choice of payment method.
func answered(err error) bool {
	return err == nil || errors.Is(err, ports.ErrCredentialsRefused) || errors.Is(err, ports.ErrAccountRefused) ||
		errors.Is(err, ports.ErrUndecided)
}

// Suspended returns how many integrations have an open breaker.
func (a *Admission) Suspended() int { return a.circuits.Open() }
