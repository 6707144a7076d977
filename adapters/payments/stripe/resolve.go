package stripe

import (
	"context"
	"errors"
	"net/http"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Resolve returns the outcome of an attempt; see the package comment.
func (p *Provider) Resolve(ctx ports.Outbound, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	if _, ok := toUnits(r.Charge.Amount); !ok {
		return checkout.NotCharged{}, nil // it was never sent
	}
	if _, most := p.remote.Age(r.Charge.Since); most >= keyAge {
		return p.lookUp(ctx, a, r)
	}
	switch err := p.void(ctx, a, r); {
	case err == nil:
		return checkout.NotCharged{}, nil
	case errors.Is(err, errKeyUsed):
		return p.resolveUsedKey(ctx, a, r, errKeyUsed)
	case unclear(err): // Stripe may repeat this answer for a day, even if it has carried out the void
		return p.resolveUsedKey(ctx, a, r, redacted(err))
	default:
		return nil, redacted(err)
	}
}

// resolveUsedKey returns the outcome of an idempotency key that Stripe has, or may have, seen in a charge or a void. It
// searches the payment intent of the key. Without an intent the outcome is unknown and the error is why: a request that
// failed before Stripe created an intent looks the same, and only a repetition of that request (Charge) distinguishes them.
// A list that was read in parts may have started before the intent existed, so the next search starts over.
func (p *Provider) resolveUsedKey(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest, why error) (checkout.Outcome, error) {
	intent, _, err := p.find(ctx, a, r.Charge)
	switch {
	case err != nil:
		return nil, err
	case intent == nil && r.Charge.Progress != "":
		return nil, ports.StillLooking{}
	case intent == nil:
		return nil, why
	}
	return p.intentOutcome(ctx, a, r, intent)
}

// lookUp returns the outcome of an attempt whose key Stripe may have forgotten. The attempt cannot be charged any more, so
// there was no charge if the list has no intent of it in the whole time in which it may have been charged.
func (p *Provider) lookUp(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	of := r.Charge
	if s, ok := parseProgress(of.Progress); ok && !s.complete(p.remote.ProviderTime()) {
		of.Progress = "" // the search began while the attempt could still be charged
	}
	intent, s, err := p.find(ctx, a, of)
	switch {
	case err != nil:
		return nil, err
	case intent != nil:
		return p.intentOutcome(ctx, a, r, intent)
	case !s.complete(p.remote.ProviderTime()):
		return nil, errors.New("stripe: the time in which the attempt may have been charged is not over")
	}
	return checkout.NotCharged{}, nil
}

// void uses the key before a charge can. It returns errKeyUsed if it was too late.
func (p *Provider) void(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) error {
	params, _ := intentParams(r)
	params.AddMetadata(metaVoid, "true")
	intent, err := try(ctx, func() (*api.PaymentIntent, error) { return p.client(a).V1PaymentIntents.Create(ctx, params) })
	switch {
	case otherUse(err):
		return errKeyUsed
	case err != nil:
		return err
	case intent.ID == "" || intent.Metadata[metaVoid] == "":
		return errUnreadableAnswer
	}
	// The void is effective without the cancellation, which only avoids an intent that looks unfinished to the merchant.
	_, _ = p.cancel(ctx, a, intent.ID)
	return nil
}

// ChargeKey returns the key in a payment intent's metadata.
func (p *Provider) ChargeKey(ctx ports.Outbound, a ports.PaymentAccount, charge string) (string, error) {
	intent, err := p.client(a).V1PaymentIntents.Retrieve(ctx, charge, nil)
	var refusal *api.Error
	switch {
	case errors.As(err, &refusal) && refusal.HTTPStatusCode == http.StatusNotFound:
		return "", fault.Missing("charge")
	case err != nil:
		return "", redacted(err)
	}
	return intent.Metadata[metaKey], nil
}
