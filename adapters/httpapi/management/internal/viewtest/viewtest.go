// Package viewtest tests that views show every field of the domain types that they are made from. It does not check how a view
// formats a field.
package viewtest

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// twoOf returns two values of each type that has few values, such as a status.
func twoOf() []any {
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	claims := func(tier, urgency string) negotiation.Claims {
		return negotiation.ClaimsOf(session.Claims{LoyaltyTier: tier, Urgency: urgency})
	}
	euro, err := money.ParseCurrency("EUR")
	if err != nil {
		panic(err)
	}
	return []any{
		agent.Active, agent.Draft, agent.Remote, agent.Builtin, agent.OnFinal, agent.OnAccept, agent.ByTuning, agent.ByMerchant,
		checkout.OrphanRefunding, checkout.OrphanFailed, checkout.ByHaggle, checkout.ByUCP, checkout.ByUCPApril, checkout.HookProtocol{}, agentid.UCP, agentid.MCP,
		event.Active, event.Disabled, event.Unreachable, event.Gone, event.OrderRefundedType, event.OrderShippedType,
		event.Pending, event.Failed, event.Email, event.Chat,
		catalog.Backorder, catalog.Tracked,
		integration.Shopify, integration.HubSpot, integration.Failing, integration.Connected, integration.HookFailed, integration.HookActive,
		integration.Received, integration.Undone,
		ledger.FeeKind, ledger.RefundKind, ledger.Fees, ledger.Disputes,
		money.USD, euro,
		claims("gold", "").Tier, claims("silver", "").Tier, claims("", "urgent").Urgency, claims("", "flexible").Urgency,
		negotiation.OutcomeCountered, negotiation.OutcomeAccepted, negotiation.Concession, negotiation.AtAsk,
		negotiation.RehydrateBounds(usd(100), usd(95), usd(90), usd(80)), negotiation.RehydrateBounds(usd(101), usd(95), usd(90), usd(80)),
		order.Confirmed, order.StatusRefunded, order.Shipped, order.Delivered, order.RefundIsFailed, order.RefundSucceeded, order.MadeElsewhere, order.RequestedHere,
		order.Approved, order.Rejected, order.DisputeLost, order.DisputeWon, order.UnderReview, order.ResponseClosed,
		personalization.ClaimedLoyalty, personalization.ProbingLimit, personalization.Off, personalization.Disclosed,
		project.Closing, project.Closed, project.SharedPaymentToken, project.BillingAgreement,
		syncrun.Running, syncrun.Failed, syncrun.Orders, syncrun.Customers, syncrun.Create, syncrun.Conflict, syncrun.EditedHere, syncrun.FullSync,
	}
}

// Shown returns a test that merchants see every field of a T, except the excepted ones.
func Shown[T, V any](view func(T) V, except fieldtest.Reasons) func(*testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		of := twoOf()
		value := fieldtest.Fill[T](of...)
		fieldtest.Matter(t, &value, func(value *T) any {
			text, err := json.Marshal(view(*value), json.Deterministic(true))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}, except, of...)
	}
}

// Pointed converts a view of a *T to a view of a T.
func Pointed[T, V any](view func(*T) V) func(T) V { return func(value T) V { return view(&value) } }

// Omitted lists fields of a type that a view does not show, by reason: Unseen("order.Refund", map[string]string{reason: "Problem
// Attempts"}).
func Omitted(of string, fields map[string]string) fieldtest.Reasons {
	except := fieldtest.Reasons{of + ".Project": "it is in the path"}
	for reason, names := range fields {
		for name := range strings.FieldsSeq(names) {
			except[of+"."+name] = reason
		}
	}
	return except
}

// Reasons of several exceptions.
const (
	InPath    = "it is in the path"
	Internal  = "it is the server's own"
	Secret    = "it is a secret"
	Elsewhere = "another operation shows it"
)
