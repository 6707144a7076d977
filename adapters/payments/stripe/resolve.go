package stripe

import (
	"context"
	"errors"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// early is how much before the time of a request its trace is looked for: clocks differ.
	early = 5 * time.Minute
	// late is how long after the time of a charge there may be an intent of it. Those made after that are
	// not looked through.
	late = checkout.KeyAge + time.Hour
	// farthest is how many intents are looked through for one key.
	farthest = 20_000
	// secondLook is after how long the list is asked again.
	secondLook = time.Second
)

var errTooFar = errors.New("stripe: too many payment intents to look through")

// Resolve is explained in the package comment.
func (p *Provider) Resolve(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	intent, err := p.find(ctx, a, r)
	if err != nil {
		return nil, err
	}
	if intent != nil {
		return p.settled(ctx, a, r, intent)
	}
	return p.void(ctx, a, r)
}

// void takes the key before a charge can.
func (p *Provider) void(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	params, ok := intentParams(r)
	if !ok {
		return checkout.NotCharged{}, nil // nor was it ever sent
	}
	params.AddMetadata(metaVoid, "true")
	var intent *api.PaymentIntent
	err := try(ctx, func() (err error) {
		intent, err = p.as(a).V1PaymentIntents.Create(ctx, params)
		return err
	})
	switch {
	case otherUse(err):
		return p.failedEarly(ctx, a, r)
	case err != nil:
		return nil, described(err)
	}
	if intent.ID == "" || intent.Metadata[metaVoid] == "" {
		return nil, errUnreadableAnswer
	}
	// The void holds without it; canceling spares the merchant an intent that looks unfinished.
	_, _ = p.cancel(ctx, a, intent.ID)
	return checkout.NotCharged{}, nil
}

// failedEarly is for a key that another request has used: without an intent, that one failed before
// there was any. The list is asked twice, some time apart, should Stripe refuse the key for its other
// use already while the charge is at work.
func (p *Provider) failedEarly(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	intent, err := p.find(ctx, a, r)
	if err == nil && intent == nil && wait(ctx, secondLook) {
		intent, err = p.find(ctx, a, r)
	}
	switch {
	case err != nil:
		return nil, err
	case intent != nil:
		return p.settled(ctx, a, r, intent)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return checkout.NotCharged{}, nil
}

// find is the intent of a key, as it stands now; nil if there is none. One that was paid wins over
// others, which only a key older than Stripe's memory has. A void may be too late to be found; another
// finds nothing either, and holds as well.
func (p *Provider) find(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (*api.PaymentIntent, error) {
	var found *api.PaymentIntent
	err := try(ctx, func() (err error) {
		found, err = p.search(ctx, a, r.Charge)
		return err
	})
	switch {
	case err != nil:
		return nil, described(err)
	case found == nil || found.Status != api.PaymentIntentStatusSucceeded:
		return found, nil
	}
	found, err = p.retrieve(ctx, a, found.ID) // with its card
	return found, described(err)
}

func (p *Provider) search(ctx context.Context, a ports.PaymentAccount, of checkout.Charge) (*api.PaymentIntent, error) {
	params := &api.PaymentIntentListParams{CreatedRange: &api.RangeQueryParams{
		GreaterThanOrEqual: of.Since.Add(-early).Unix(), LesserThanOrEqual: of.Since.Add(late).Unix(),
	}}
	params.Limit = api.Int64(100)
	var found *api.PaymentIntent
	seen := 0
	for intent, err := range p.as(a).V1PaymentIntents.List(ctx, params).All(ctx) {
		if seen++; err != nil {
			return nil, err
		}
		if intent.Metadata[metaKey] == of.Key && (found == nil || intent.Status == api.PaymentIntentStatusSucceeded) {
			found = intent
		}
		if found != nil && found.Status == api.PaymentIntentStatusSucceeded {
			return found, nil
		}
		if seen >= farthest {
			return nil, errTooFar
		}
	}
	return found, nil
}
