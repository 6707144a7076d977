package purchase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// finalization is the state of a finalize until the claim of its next attempt.
type finalization struct {
	*Service
	project   *project.Project
	request   FinalizeRequest
	route     project.PaymentRoute
	consented bool               // the agent consents to the attempt
	admitted  bool               // the payment is admitted, until leave is called
	leave     func()             // never nil
	payable   *checkout.Checkout // as last read; nil: it was not payable
}

// claimNext claims the next attempt after the checks of consent. On ErrTooManyInFlight it ends the payment's admission,
// because another payment may need it until one of the client's ends.
func (f *finalization) claimNext(ctx ports.Outbound) (claimed, error) {
	if err := f.consent(ctx); err != nil {
		return nil, err
	}
	c, err := f.claim(ctx, f.project, f.request, f.route, f.payable)
	if errors.Is(err, checkout.ErrTooManyInFlight) {
		f.endAdmission()
	}
	return c, err
}

// outdated reports whether a claim failed because the project or the checkout was changed after it was read. For a request that
// names a revision, a revised checkout is an error instead.
func (f *finalization) outdated(err error) bool {
	return fault.Is(err, ports.ProjectChanged) || f.request.Revision == 0 && errors.Is(err, checkout.ErrChanged)
}

// reread reads the project again and starts over, because its route, agent and policy may have changed.
func (f *finalization) reread(ctx context.Context) error {
	now, err := f.Storefronts.ByProject(ctx, f.project.ID)
	switch {
	case err != nil:
		return err
	case now.Status != project.Active:
		return fault.Missing("project")
	}
	f.project, f.route = now, now.PaymentRoute(f.request.Method, f.Sandbox)
	f.restart()
	return nil
}

// restart starts over for a new attempt, which needs the agent's consent again.
func (f *finalization) restart() {
	f.endAdmission()
	f.consented = false
}

func (f *finalization) endAdmission() {
	f.leave()
	f.leave, f.admitted = func() {}, false
}

// wait pauses before the next try, and reports whether there is one. While too many payments are in flight, the request gives
// up its place in its lane, because those payments wait for a provider.
func (f *finalization) wait(ctx context.Context, pause time.Duration, cause error) bool {
	var err error
	if errors.Is(cause, checkout.ErrTooManyInFlight) {
		payer := cmp.Or(f.request.Client, f.request.Checkout.String())
		err = f.Waiting.Wait(ctx, payer, func() error { return sleep(ctx, pause) })
	} else {
		err = sleep(ctx, pause)
	}
	return err == nil
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// consent checks, before any transaction, whether a payable checkout may be paid: its session and client have not too many
// declined payments or payments in flight, and the agent consents. Then it admits the payment. It returns nil for a checkout
// that is not payable; the claim returns the error.
func (f *finalization) consent(ctx ports.Outbound) error {
	if f.admitted {
		return nil
	}
	history, err := f.Checkouts.PayAttempts(ctx, f.project.ID, f.request.Checkout, f.request.Client, checkout.DeclineWindow)
	f.payable = nil
	if err == nil {
		if err = (Named{f.request.Checkout, f.request.Agent}).check(history.Checkout); err != nil {
			history = ports.PayAttempts{}
		}
	}
	if err == nil && history.Checkout.Payable(history.Now) != nil {
		return nil
	}
	f.payable = history.Checkout
	if err == nil && f.request.Revision != 0 && f.request.Revision != history.Checkout.Revision() {
		return checkout.ErrChanged
	}
	if f.route.IsZero() {
		return fault.Field("payment.method", "is not a payment method of this shop")
	}
	if err != nil {
		return err
	}
	if !f.canCharge(f.route, history.Checkout.TotalWith(f.request.Option)) {
		return fault.Field("payment.method", "cannot charge this amount; pay by another method or with another shipping option")
	}
	if err := checkDeclines(history); err != nil {
		return err
	}
	if err := f.askAgent(ctx, history.Checkout); err != nil {
		return err
	}
	if f.Admission != nil {
		if f.leave, err = f.Admission.Admit(f.route); err != nil {
			return err
		}
	}
	f.admitted = true
	return nil
}

// checkDeclines refuses a payment if its session or client has had too many payments declined, or would have if those in
// flight were declined. The claim checks this again, because other payments of the client may begin in between.
func checkDeclines(s ports.PayAttempts) error {
	switch {
	case s.Declines >= checkout.MostDeclined:
		return fault.New(fault.Limited, "too_many_declines", "Too many payments were declined recently. Try again later.").
			After(s.First.Add(checkout.DeclineWindow).Sub(s.Now))
	case s.Attempts >= checkout.MostDeclined:
		return checkout.ErrTooManyInFlight
	}
	return nil
}

// ErrNeedsReview is the cause of a refusal that a person of the shop can overrule. Protocols that support it send the buyer to
// that person.
var ErrNeedsReview = errors.New("the shop's agent wants a person to look at it first")

// refusal returns nil for a verdict of consent, otherwise an error with the verdict's reason or else the default message.
func refusal(v agent.Verdict, code, defaultMessage string) error {
	refused := fault.New(fault.Conflict, code, cmp.Or(v.Reason(), defaultMessage))
	switch v.Kind() {
	case agent.Consented:
		return nil
	case agent.Refused:
		return refused
	case agent.InReview:
		return refused.Because(ErrNeedsReview)
	}
	return fmt.Errorf("purchase: unknown verdict %v", v)
}

// askAgent asks the agent for consent, once per attempt.
func (f *finalization) askAgent(ctx ports.Outbound, c *checkout.Checkout) error {
	if f.consented {
		return nil
	}
	mandate, err := f.Mandates.Mandate(ctx, f.project, c.Snapshot().Session)
	if err != nil {
		return err
	}
	verdict, err := f.Agent.Finalize(ctx, agent.FinalizeInput{
		Scene:    agent.Scene{Project: f.project, Mandate: mandate},
		Checkout: c,
		Total:    c.Total(),
	})
	if err == nil {
		err = refusal(verdict, "finalize_refused", "The shop does not accept this payment now.")
	}
	f.consented = err == nil
	return err
}
