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
	// maxSkew is how far a provider's clock may be from ours. Whether a charge was made is judged by times of both.
	maxSkew = time.Minute

	mostCharging = 32               // payments under way through one integration
	tooMany      = 5                // charges in a row that the provider did not answer
	pause        = 10 * time.Second // in which no charge is begun after them
	known        = 10_000           // integrations that are remembered
)

// TooFarApart reports whether clocks that differ by skew must not work on money together.
func TooFarApart(skew time.Duration) bool { return skew.Abs() > maxSkew }

var (
	errUnavailable = fault.New(fault.Unavailable, "payment_unavailable",
		"The shop's payment provider does not answer at the moment. Nothing was charged.").After(pause)
	errClock = fault.New(fault.Unavailable, "payment_unavailable",
		"The shop cannot take this payment at the moment. Nothing was charged.").After(time.Minute)
	errBusy = fault.New(fault.Unavailable, "overloaded",
		"Too many payments of this shop are under way. Nothing was charged. Try again.").After(2 * time.Second)
)

// Admission decides whether payments through an integration may begin: not while its provider hangs or fails, which a
// circuit breaker for each integration remembers, nor when the provider's clock is wrong, nor beyond the integration's
// share of those who wait. Only payments that have not begun are refused. What was begun is charged, looked up and
// given back whatever the breaker says, so that it never makes an outcome unknown.
type Admission struct {
	clocks   map[string]ports.RemoteClock // by provider
	circuits bulkhead.Cache[id.Integration, *circuit]

	mu       sync.Mutex
	charging map[id.Integration]int
}

var _ ports.PaymentAdmission = (*Admission)(nil)

type circuit = gobreaker.TwoStepCircuitBreaker[struct{}]

// NewAdmission refuses nothing yet. The clocks are those of the providers that tell the time.
func NewAdmission(clocks map[string]ports.RemoteClock) *Admission {
	return &Admission{
		clocks:   clocks,
		circuits: bulkhead.NewCache[id.Integration](known, newCircuit),
		charging: map[id.Integration]int{},
	}
}

// Admit is PaymentAdmission's.
func (a *Admission) Admit(r project.PaymentRoute) (leave func(), err error) {
	none := func() {}
	if r.Integration.IsZero() { // the sandbox, which is in this process
		return none, nil
	}
	if clock, tells := a.clocks[r.Provider]; tells {
		if skew, known := clock.Skew(); known && TooFarApart(skew) {
			return none, errClock
		}
	}
	state := a.circuits.Of(r.Integration).State()
	a.mu.Lock()
	defer a.mu.Unlock()
	switch under := a.charging[r.Integration]; {
	case state == gobreaker.StateOpen, state == gobreaker.StateHalfOpen && under > 0: // one tries it
		return none, errUnavailable
	case under >= mostCharging:
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

// begin notes that a charge is sent; what it returns takes what came of it. It never keeps a charge from being sent.
func (a *Admission) begin(i id.Integration) (done func(error)) {
	if a == nil || i.IsZero() {
		return func(error) {}
	}
	done, err := a.circuits.Of(i).Allow()
	if err != nil { // it was admitted before the breaker opened, or is not the one that tries
		return func(error) {}
	}
	return done
}

func newCircuit() *circuit {
	return gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:      pause,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tooMany },
		IsSuccessful: answered,
		IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
	})
}

// answered reports whether the provider answered a charge. A refusal of the shop's account is an answer, and so is
// that the outcome is not decided yet: buyers choose how they pay, and must not suspend the provider by that.
func answered(err error) bool {
	return err == nil || errors.Is(err, ports.ErrCredentialsRefused) || errors.Is(err, ports.ErrAccountRefused) ||
		errors.Is(err, ports.ErrUndecided)
}

// Suspended is through how many integrations no payment begins at the moment because their providers do not answer.
func (a *Admission) Suspended() int { return a.circuits.Open() }
