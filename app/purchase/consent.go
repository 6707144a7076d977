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

// finalizing is a finalize on its way to the claim of its next attempt.
type finalizing struct {
	*Service
	project  *project.Project
	request  FinalizeRequest
	route    project.PaymentRoute
	asked    bool               // the agent consents to the attempt
	admitted bool               // and the payment has a place, which leave gives back
	leave    func()             // never nil
	payable  *checkout.Checkout // as it was when it was last looked at; nil: it was not payable
}

// next claims the next attempt once nothing speaks against it. ErrTooManyInFlight gives the place of the payment
// back, for it may take a while until there is room.
func (f *finalizing) next(ctx ports.Outbound) (claimed, error) {
	if err := f.consent(ctx); err != nil {
		return nil, err
	}
	c, err := f.claim(ctx, f.project, f.request, f.route, f.payable)
	if errors.Is(err, checkout.ErrTooManyInFlight) {
		f.giveUpPlace()
	}
	return c, err
}

// outdated reports whether a claim failed because the project was changed, or the checkout revised, since they were read. A
// request that names a revision is not for another one.
func (f *finalizing) outdated(err error) bool {
	return fault.Is(err, ports.ProjectChanged) || f.request.Revision == 0 && errors.Is(err, checkout.ErrChanged)
}

// reread begins anew with the project as it is now: its route, consent and policy may be others.
func (f *finalizing) reread(ctx context.Context) error {
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

// restart begins a new attempt, to which the agent has not consented yet.
func (f *finalizing) restart() {
	f.giveUpPlace()
	f.asked = false
}

func (f *finalizing) giveUpPlace() {
	f.leave()
	f.leave, f.admitted = func() {}, false
}

// wait pauses before the next try, and reports whether there is one. While it waits for payments of others, the
// request holds no place of its lane: they wait for a provider.
func (f *finalizing) wait(ctx context.Context, pause time.Duration, cause error) bool {
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

// consent checks, before any transaction, whether a checkout that could be paid may be: its payers have not had
// too many payments declined, and none too many in flight, and the agent agrees. Then it has the payment admitted.
// What is not payable, the claim answers.
func (f *finalizing) consent(ctx ports.Outbound) error {
	if f.admitted {
		return nil
	}
	standing, err := f.Checkouts.Standing(ctx, f.project.ID, f.request.Checkout, f.request.Client, checkout.DeclineWindow)
	f.payable = nil
	if err == nil {
		if err = (Named{f.request.Checkout, f.request.Agent}).check(standing.Checkout); err != nil {
			standing = ports.Standing{}
		}
	}
	if err == nil && standing.Checkout.Payable(standing.Now) != nil {
		return nil
	}
	f.payable = standing.Checkout
	if err == nil && f.request.Revision != 0 && f.request.Revision != standing.Checkout.Revision() {
		return checkout.ErrChanged
	}
	if f.route.IsZero() {
		return fault.Field("payment.method", "is not a payment method of this shop")
	}
	if err != nil {
		return err
	}
	if !f.canCharge(f.route, standing.Checkout.TotalWith(f.request.Option)) {
		return fault.Field("payment.method", "cannot charge this amount; pay by another method or with another shipping option")
	}
	if err := limited(standing); err != nil {
		return err
	}
	if err := f.askAgent(ctx, standing.Checkout); err != nil {
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

// limited refuses a payment whose session or client has had too many declined, or would have if those in flight were.
// Other payments of the client may begin between this and the claim, which counts again.
func limited(s ports.Standing) error {
	switch {
	case s.Declines >= checkout.MostDeclined:
		return fault.New(fault.Limited, "too_many_declines", "Too many payments were declined lately. Try again later.").
			After(s.First.Add(checkout.DeclineWindow).Sub(s.Now))
	case s.Attempts >= checkout.MostDeclined:
		return checkout.ErrTooManyInFlight
	}
	return nil
}

// ErrNeedsReview is the cause of a refusal that a person of the shop can lift. A protocol that can sends the buyer there.
var ErrNeedsReview = errors.New("the shop's agent wants a person to look at it first")

// refusal is the error of a verdict that is no consent; by default it has the message otherwise.
func refusal(v agent.Verdict, code, otherwise string) error {
	refused := fault.New(fault.Conflict, code, cmp.Or(v.Reason(), otherwise))
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

// askAgent asks the agent for consent, once for each attempt.
func (f *finalizing) askAgent(ctx ports.Outbound, c *checkout.Checkout) error {
	if f.asked {
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
		err = refusal(verdict, "finalize_refused", "The shop does not take this payment now.")
	}
	f.asked = err == nil
	return err
}
