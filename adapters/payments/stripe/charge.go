package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

// tokenVersion is an API version that supports shared payment tokens.
const tokenVersion = "2026-04-22.preview"

// Keys of the metadata of our intents and refunds, by which they are found again.
const (
	metaKey      = "key"
	metaCheckout = "checkout"
	metaAttempt  = "attempt"
	metaProject  = "project"
	metaVoid     = "void"
	metaRefund   = "refund"
)

var unpayable = checkout.Declined{Code: "amount_invalid", Message: "This amount cannot be paid this way."}

// Charge creates and confirms a payment intent, always with the same request for one attempt and token. If Stripe refuses
// the credentials in the first try, the error is ports.ErrCredentialsRefused, and nothing was charged. Charge resolves an
// attempt that is too old to be charged.
func (p *Provider) Charge(ctx ports.Outbound, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	params, ok := intentParams(r)
	if !ok {
		return unpayable, nil
	}
	if _, most := p.remote.Age(r.Charge.Since); most >= checkout.KeyAge {
		return unknownIfRefused(p.Resolve(ctx, a, r))
	}
	params.Confirm = api.Bool(true)
	params.AddExpand("latest_charge")
	params.AddExtra("payment_method_data[shared_payment_granted_token]", r.Token)
	// An agent cannot follow a redirect.
	params.AutomaticPaymentMethods = &api.PaymentIntentCreateAutomaticPaymentMethodsParams{
		Enabled: api.Bool(true), AllowRedirects: api.String("never"),
	}
	intent, err := try(ctx, func() (*api.PaymentIntent, error) { return p.client(a).V1PaymentIntents.Create(ctx, params) })
	switch {
	case err == nil:
		return unknownIfRefused(p.intentOutcome(ctx, a, r, intent))
	case otherUse(err): // our void, or the same charge from another version of this program
		return unknownIfRefused(p.resolveUsedKey(ctx, a, r, errKeyUsed))
	case credentialsRefused(err) && r.Again:
		return unknownIfRefused(nil, redacted(err))
	case unclear(err), credentialsRefused(err):
		return nil, redacted(err)
	}
	if declined, ok := refusal(err); ok {
		return declined, nil
	}
	if !r.Again {
		return nil, fmt.Errorf("%w: %w", ports.ErrAccountRefused, redacted(err))
	}
	return unknownIfRefused(p.accountRefused(ctx, a, r, redacted(err)))
}

// accountRefused returns the outcome of a repeated charge that Stripe refuses because of the merchant's account. The
// account's setup may have changed since the first request. Therefore the refusal is final only if the key is void, or if
// Stripe refuses the void, too, and there is no intent of the key.
func (p *Provider) accountRefused(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest, why error) (checkout.Outcome, error) {
	err := p.void(ctx, a, r)
	switch {
	case err == nil:
		return nil, fmt.Errorf("%w: %w", ports.ErrAccountRefused, why)
	case errors.Is(err, errKeyUsed):
		return p.resolveUsedKey(ctx, a, r, errKeyUsed)
	case unclear(err):
		return nil, redacted(err)
	}
	outcome, err := p.resolveUsedKey(ctx, a, r, errKeyUsed)
	if errors.Is(err, errKeyUsed) {
		return nil, fmt.Errorf("%w: %w", ports.ErrAccountRefused, why)
	}
	return outcome, err
}

// unknownIfRefused is for requests after a charge that may have been sent. It turns ErrCredentialsRefused into another
// error, because it says nothing about that charge.
func unknownIfRefused(outcome checkout.Outcome, err error) (checkout.Outcome, error) {
	if errors.Is(err, ports.ErrCredentialsRefused) {
		return nil, fmt.Errorf("stripe: the outcome is not known: %v", err)
	}
	return outcome, err
}

// intentParams returns the parameters that the charge and the void of a key share, or false if Stripe cannot express
// the amount.
func intentParams(r ports.ChargeRequest) (*api.PaymentIntentCreateParams, bool) {
	amount, ok := toUnits(r.Charge.Amount)
	params := &api.PaymentIntentCreateParams{
		Amount: &amount, Currency: api.String(strings.ToLower(r.Charge.Amount.Currency().Code())),
		Description: api.String("Checkout " + r.Checkout.String()),
	}
	_, attempt, _ := checkout.ParseAttemptKey(r.Charge.Key)
	params.Metadata = map[string]string{
		metaKey:      r.Charge.Key,
		metaCheckout: r.Checkout.String(),
		metaAttempt:  strconv.Itoa(attempt),
		metaProject:  r.Project.String(),
	}
	params.SetIdempotencyKey(r.Charge.Key)
	params.Headers = http.Header{"Stripe-Version": {tokenVersion}}
	return params, ok
}

// intentOutcome returns the outcome of an intent of the key. It cancels an intent that waits for the buyer, or for a
// confirmation that was interrupted, because neither will happen.
func (p *Provider) intentOutcome(
	ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest, intent *api.PaymentIntent,
) (checkout.Outcome, error) {
	if amount, err := fromUnits(intent.Amount, string(intent.Currency)); err != nil || amount != r.Charge.Amount {
		return nil, errors.New("stripe: the key was used for another amount")
	}
	if outcome, decided := judge(intent); decided {
		return outcome, nil
	}
	switch intent.Status {
	case api.PaymentIntentStatusRequiresAction:
		return p.abandon(ctx, a, intent, checkout.Declined{Code: authentication, Message: message(authentication)})
	case api.PaymentIntentStatusRequiresPaymentMethod, api.PaymentIntentStatusRequiresConfirmation:
		return p.abandon(ctx, a, intent, checkout.NotCharged{})
	}
	return nil, fmt.Errorf("stripe: intent %s is %s: %w", intent.ID, intent.Status, ports.ErrUndecided)
}

// abandon cancels an intent, unless it was decided meanwhile.
func (p *Provider) abandon(
	ctx context.Context, a ports.PaymentAccount, intent *api.PaymentIntent, canceled checkout.Outcome,
) (checkout.Outcome, error) {
	_, err := p.cancel(ctx, a, intent.ID)
	if err == nil {
		return canceled, nil
	}
	now, errNow := p.retrieve(ctx, a, intent.ID)
	if errNow != nil {
		return nil, redacted(errNow)
	}
	if now.Status == api.PaymentIntentStatusCanceled {
		return canceled, nil
	}
	if outcome, decided := judge(now); decided {
		return outcome, nil
	}
	return nil, redacted(err)
}

func (p *Provider) cancel(ctx context.Context, a ports.PaymentAccount, intent string) (*api.PaymentIntent, error) {
	params := &api.PaymentIntentCancelParams{CancellationReason: api.String("abandoned")}
	return try(ctx, func() (*api.PaymentIntent, error) { return p.client(a).V1PaymentIntents.Cancel(ctx, intent, params) })
}

func (p *Provider) retrieve(ctx context.Context, a ports.PaymentAccount, intent string) (*api.PaymentIntent, error) {
	params := &api.PaymentIntentRetrieveParams{}
	params.AddExpand("latest_charge")
	return try(ctx, func() (*api.PaymentIntent, error) { return p.client(a).V1PaymentIntents.Retrieve(ctx, intent, params) })
}
