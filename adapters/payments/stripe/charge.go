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

// tokenVersion is the version of the API that knows shared payment tokens.
const tokenVersion = "2026-04-22.preview"

// What our intents and refunds carry, to be found again.
const (
	metaKey      = "key"
	metaCheckout = "checkout"
	metaAttempt  = "attempt"
	metaProject  = "project"
	metaVoid     = "void"
	metaRefund   = "refund"
)

var unpayable = checkout.Declined{Code: "amount_invalid", Message: "This amount cannot be paid this way."}

// Charge creates and confirms a payment intent, always in the same words for one attempt and token. When Stripe
// refuses the credentials, and did so at the first try, the error is ports.ErrCredentialsRefused, and nothing was
// charged. An attempt that is too old to be charged is resolved.
func (p *Provider) Charge(ctx ports.Outbound, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	params, ok := intentParams(r)
	if !ok {
		return unpayable, nil
	}
	if _, most := p.remote.Age(r.Charge.Since); most >= checkout.KeyAge {
		return afterwards(p.Resolve(ctx, a, r))
	}
	params.Confirm = api.Bool(true)
	params.AddExpand("latest_charge")
	params.AddExtra("payment_method_data[shared_payment_granted_token]", r.Token)
	// Nobody is there to follow a redirect.
	params.AutomaticPaymentMethods = &api.PaymentIntentCreateAutomaticPaymentMethodsParams{
		Enabled: api.Bool(true), AllowRedirects: api.String("never"),
	}
	intent, err := try(ctx, func() (*api.PaymentIntent, error) { return p.as(a).V1PaymentIntents.Create(ctx, params) })
	switch {
	case err == nil:
		return afterwards(p.settled(ctx, a, r, intent))
	case otherUse(err): // our void, or the same charge in the words of another version of this program
		return afterwards(p.used(ctx, a, r, errKeyUsed))
	case credentialsRefused(err) && r.Again:
		return afterwards(nil, described(err))
	case unclear(err), credentialsRefused(err):
		return nil, described(err)
	}
	if declined, ok := refusal(err); ok {
		return declined, nil
	}
	if !r.Again {
		return nil, fmt.Errorf("%w: %w", ports.ErrAccountRefused, described(err))
	}
	return afterwards(p.accountRefused(ctx, a, r, described(err)))
}

// accountRefused is the outcome of a repeated charge that Stripe refuses because of the merchant's account. The
// account's setup may have changed since the first request. So the refusal holds once the key is void, or no intent
// of it is found although Stripe refuses the void too.
func (p *Provider) accountRefused(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest, why error) (checkout.Outcome, error) {
	err := p.void(ctx, a, r)
	switch {
	case err == nil:
		return nil, fmt.Errorf("%w: %w", ports.ErrAccountRefused, why)
	case errors.Is(err, errKeyUsed):
		return p.used(ctx, a, r, errKeyUsed)
	case unclear(err):
		return nil, described(err)
	}
	outcome, err := p.used(ctx, a, r, errKeyUsed)
	if errors.Is(err, errKeyUsed) {
		return nil, fmt.Errorf("%w: %w", ports.ErrAccountRefused, why)
	}
	return outcome, err
}

// afterwards is what was learnt of a charge that may have been sent: that credentials are refused by then
// says nothing of it.
func afterwards(outcome checkout.Outcome, err error) (checkout.Outcome, error) {
	if errors.Is(err, ports.ErrCredentialsRefused) {
		return nil, fmt.Errorf("stripe: the outcome is not known: %v", err)
	}
	return outcome, err
}

// intentParams are what the charge and the void of a key have in common; false if Stripe cannot
// express the amount.
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

// settled is the outcome of an intent of the key. One that waits for the buyer, or for a confirmation
// that was cut short, is given up: nobody will come.
func (p *Provider) settled(
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
		return p.giveUp(ctx, a, intent, checkout.Declined{Code: authentication, Message: message(authentication)})
	case api.PaymentIntentStatusRequiresPaymentMethod, api.PaymentIntentStatusRequiresConfirmation:
		return p.giveUp(ctx, a, intent, checkout.NotCharged{})
	}
	return nil, fmt.Errorf("stripe: intent %s is %s: %w", intent.ID, intent.Status, ports.ErrUndecided)
}

// giveUp cancels an intent, unless it was decided meanwhile.
func (p *Provider) giveUp(
	ctx context.Context, a ports.PaymentAccount, intent *api.PaymentIntent, canceled checkout.Outcome,
) (checkout.Outcome, error) {
	_, err := p.cancel(ctx, a, intent.ID)
	if err == nil {
		return canceled, nil
	}
	now, errNow := p.retrieve(ctx, a, intent.ID)
	if errNow != nil {
		return nil, described(errNow)
	}
	if now.Status == api.PaymentIntentStatusCanceled {
		return canceled, nil
	}
	if outcome, decided := judge(now); decided {
		return outcome, nil
	}
	return nil, described(err)
}

func (p *Provider) cancel(ctx context.Context, a ports.PaymentAccount, intent string) (*api.PaymentIntent, error) {
	params := &api.PaymentIntentCancelParams{CancellationReason: api.String("abandoned")}
	return try(ctx, func() (*api.PaymentIntent, error) { return p.as(a).V1PaymentIntents.Cancel(ctx, intent, params) })
}

func (p *Provider) retrieve(ctx context.Context, a ports.PaymentAccount, intent string) (*api.PaymentIntent, error) {
	params := &api.PaymentIntentRetrieveParams{}
	params.AddExpand("latest_charge")
	return try(ctx, func() (*api.PaymentIntent, error) { return p.as(a).V1PaymentIntents.Retrieve(ctx, intent, params) })
}
