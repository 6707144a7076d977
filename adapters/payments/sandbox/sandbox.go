// Package sandbox is the payment provider of the sandbox environment. It takes no real money, but gives the same
// guarantees as a real provider: a durable ledger, one charge and one refund per key, and no refunds of more than was
// paid. It ignores the payment account, because the ledger belongs to the project.
//
// The token determines the outcome (features/PROTOCOL.md#sandbox-tokens), after the prefix spt_sandbox_ or ba_sandbox_:
//
//	ok, ok_anything            paid
//	decline_<code>             declined with that code; stolen_card and fraudulent are final
//	lost_reply                 paid, and the first answer lost
//	outage_<n>                 fails n times with a server error, then paid; n is at most 10
//	anything else              declined with invalid_token
//
// OpenDispute opens a dispute of a payment. Evidence puts the dispute under review; the notes winning_evidence and
// losing_evidence decide it.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Tries is the maximum number of tries of a charge while the provider answers with server errors.
const Tries = 3

const (
	paid = "paid"
	void = "void" // resolved before it was charged, so it can never be charged
)

var (
	errOutage    = errors.New("sandbox: provider answered with a server error")
	errLostReply = errors.New("sandbox: the provider's answer was lost")
)

var _ ports.PaymentProvider = Provider{}

// Provider implements ports.PaymentProvider for the sandbox.
type Provider struct {
	Ledger  ports.SandboxLedger
	Clock   ports.Clock
	Entropy ports.Entropy
}

// Charge charges or declines according to the token. Like the client of a real provider, it repeats a failed
// charge with the same key.
func (p Provider) Charge(ctx ports.Outbound, _ ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	var err error
	for range Tries {
		var outcome checkout.Outcome
		if outcome, err = p.charge(ctx, r); !errors.Is(err, errOutage) {
			return outcome, err
		}
	}
	return nil, err
}

func (p Provider) charge(ctx context.Context, r ports.ChargeRequest) (checkout.Outcome, error) {
	script := scriptOf(r.Token, r.Charge.Method)
	if times, ok := outage(script); ok {
		n, err := p.Ledger.Failure(ctx, r.Project, r.Checkout.String()+" "+id.Hash(r.Token))
		switch {
		case err != nil:
			return nil, err
		case n <= times:
			return nil, errOutage
		}
	}
	charge := ports.SandboxCharge{
		Key:       r.Charge.Key,
		Amount:    r.Charge.Amount,
		Method:    r.Charge.Method,
		TokenHash: id.Hash(r.Token),
		Result:    result(script),
		ID:        "ch_sandbox_" + p.Entropy.Secret(10),
		At:        p.Clock.Now(),
	}
	stored, err := p.Ledger.Once(ctx, r.Project, charge)
	switch {
	case err != nil:
		return nil, err
	case stored.Result == void:
		return checkout.NotCharged{}, nil
	case stored.Amount != r.Charge.Amount || stored.TokenHash != id.Hash(r.Token):
		return nil, fmt.Errorf("sandbox: key %s was used for another charge", r.Charge.Key)
	case script == "lost_reply" && stored.ID == charge.ID: // the first answer is lost, later ones arrive
		return nil, errLostReply
	}
	return outcome(stored), nil
}

// Resolve returns the outcome of a key. It voids an unknown key, so that a late charge is refused.
func (p Provider) Resolve(ctx ports.Outbound, _ ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	stored, err := p.Ledger.Once(ctx, r.Project, ports.SandboxCharge{
		Key:    r.Charge.Key,
		Result: void,
		At:     p.Clock.Now(),
	})
	if err != nil {
		return nil, err
	}
	return outcome(stored), nil
}

// prefixes are the prefixes of tokens by method.
var prefixes = map[project.PaymentMethod]string{
	project.SharedPaymentToken: "spt_sandbox_",
	project.BillingAgreement:   "ba_sandbox_",
}

// scriptOf returns the token without its prefix, or "" if it is no token of the method.
func scriptOf(token string, method project.PaymentMethod) string {
	prefix := prefixes[method]
	script, ok := strings.CutPrefix(token, prefix)
	if !ok || prefix == "" {
		return ""
	}
	return script
}

// maxOutages limits how long a payment stays undecided, because such a payment reserves stock and prevents the deletion of
// the project.
const maxOutages = 10

func outage(script string) (times int, ok bool) {
	n, ok := strings.CutPrefix(script, "outage_")
	if !ok {
		return 0, false
	}
	times, err := strconv.Atoi(n)
	return times, err == nil && times >= 0 && times <= maxOutages
}

func result(script string) string {
	_, isOutage := outage(script)
	switch {
	case script == "ok", strings.HasPrefix(script, "ok_"), script == "lost_reply", isOutage:
		return paid
	}
	if code, ok := strings.CutPrefix(script, "decline_"); ok && codeForm.MatchString(code) && code != paid && code != void {
		return code
	}
	return "invalid_token"
}

var codeForm = regexp.MustCompile(`^[a-z][a-z_]{0,49}$`)

// refusals has messages for the common decline codes.
var refusals = map[string]string{
	"insufficient_funds": "The account has insufficient funds.",
	"expired_card":       "The card has expired.",
	"do_not_honor":       "The issuer declined the payment.",
	"stolen_card":        "The card was reported stolen.",
	"fraudulent":         "The payment was declined as fraudulent.",
	"invalid_token":      "The payment token is not valid. Pay with another one.",
}

func outcome(c ports.SandboxCharge) checkout.Outcome {
	switch c.Result {
	case paid:
		return checkout.Paid{Provider: c.ID, Label: label(c.Method)}
	case void:
		return checkout.NotCharged{}
	}
	return checkout.Declined{
		Code: c.Result, Message: cmp.Or(refusals[c.Result], "The payment was declined."),
		Final: c.Result == "stolen_card" || c.Result == "fraudulent",
	}
}

func label(method project.PaymentMethod) string {
	if method == project.BillingAgreement {
		return "Sandbox wallet"
	}
	return "Sandbox card ending in 4242"
}
