package management

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// twoOf are two values of types whose values are few.
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
		checkout.OrphanRefunding, checkout.OrphanFailed,
		event.Active, event.Disabled, event.Unreachable, event.Gone, event.OrderRefundedType, event.OrderShippedType,
		event.Pending, event.Failed, event.Email, event.Chat,
		integration.Shopify, integration.HubSpot, integration.Failing, integration.Connected, integration.HookFailed, integration.HookActive,
		integration.Received, integration.Undone,
		ledger.FeeKind, ledger.RefundKind, ledger.Fees, ledger.Disputes,
		money.USD, euro,
		claims("gold", "").Tier, claims("silver", "").Tier, claims("", "urgent").Urgency, claims("", "flexible").Urgency,
		negotiation.OutcomeCountered, negotiation.OutcomeAccepted, negotiation.Concession, negotiation.AtAsk,
		negotiation.RehydrateBounds(usd(100), usd(95), usd(90), usd(80)), negotiation.RehydrateBounds(usd(101), usd(95), usd(90), usd(80)),
		order.Confirmed, order.GivenBack, order.Shipped, order.Delivered, order.RefundIsFailed, order.RefundSucceeded, order.MadeElsewhere, order.RequestedHere,
		order.Approved, order.Rejected, order.DisputeLost, order.DisputeWon,
		project.Closing, project.Closed, project.SharedPaymentToken, project.BillingAgreement,
		syncrun.Running, syncrun.Failed, syncrun.Orders, syncrun.Customers,
	}
}

// shown checks that merchants see every field of a T.
func shown[T, V any](view func(T) V, except fieldtest.Reasons) func(*testing.T) {
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

// pointed is a view of a pointer to a T.
func pointed[T, V any](view func(*T) V) func(T) V { return func(value T) V { return view(&value) } }

// unseen are fields below a type, for one reason each: unseen("order.Refund", map[string]string{reason: "Problem Attempts"}).
func unseen(of string, fields map[string]string) fieldtest.Reasons {
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
	inPath    = "it is in the path"
	internal  = "it is the server's own"
	secret    = "it is a secret"
	elsewhere = "another operation shows it"
)

// Merchants see every field of what is theirs, or it is an exception with its reason.
func TestViews_everyField(t *testing.T) {
	t.Parallel()
	usd := money.USD
	for name, test := range map[string]func(*testing.T){
		"settings":   shown(func(s project.Settings) settings { return toAPISettings(&project.Project{Settings: s}) }, nil),
		"storefront": shown(toAPIStorefront, nil),
		"policy": shown(func(p negotiation.Policy) policyDocument { return toAPIPolicy(p, usd) },
			fieldtest.Reasons{"negotiation.Policy.Version": "the agent and the version around it show it"}),
		"version": shown(func(v agent.Version) PolicyVersionView { return toAPIVersion(v, &agent.Agent{}, usd) },
			unseen("agent.Version", map[string]string{inPath: "Agent"})),
		"agent": shown(func(a agent.Agent) AgentView { return toAPIAgent(&a, usd) },
			unseen("agent.Agent", map[string]string{elsewhere: "Latest Held", secret: "Secret"})),
		"decision": shown(toAPIDecision, fieldtest.Reasons{
			"ports.Decided.Entry.Project":      inPath,
			"ports.Decided.Entry.Item.Session": "it is the entry's session",
			"ports.Decided.Entry.Client":       secret,
			"ports.Decided.Personal":           "the check of the chain reads it",
			"ports.Decided.Salt":               "the check of the chain reads it",
			"ports.Decided.Erased":             "the check of the chain reads it",
		}),
		"order": shown(func(o order.Order) orderDetail {
			out, err := toAPICase(&order.Case{Order: &o}, nil)
			if err != nil {
				panic(err)
			}
			return out.Body
		}, unseen("order.Order", map[string]string{
			internal: "Sequence Payment.Refunding Payment.Provider", secret: "TokenSalt TokenHash", "the provider names it": "Payment.Route.Integration",
			"the decisions of its session show it": "Lines[].Quote Lines[].Bundled",
		})),
		"payment": shown(toAPIPayment, fieldtest.Reasons{
			"ports.OrderPayment.Project":                   inPath,
			"ports.OrderPayment.Payment.Refunding":         "its refunds show it",
			"ports.OrderPayment.Payment.Provider":          internal,
			"ports.OrderPayment.Payment.Route.Integration": "the provider names it",
		}),
		"refund": shown(toAPIRefund, unseen("order.Refund", map[string]string{
			"the list of unresolved refunds shows it": "Problem Attempts DueAt", internal: "Provider UpdatedAt",
		})),
		"return": shown(toAPIReturn, unseen("order.Return", map[string]string{
			internal: "Allocation", "it is for the buyer": "Instructions", "how many pieces is enough": "Restocked[].Variant Restocked[].Location",
		})),
		"dispute": shown(toAPIDispute, unseen("order.Dispute", map[string]string{
			"the order and the payment around it show it": "Order Payment Gateway", internal: "Steps Reported",
		})),
		"label": shown(pointed(toAPILabel), unseen("order.Label", map[string]string{
			"the request names it": "Integration Grams", internal: "DueAt Unsure Remote Told", "BoughtAt is shown": "CreatedAt",
		})),
		"orphan":      shown(toAPIOrphan, unseen("checkout.Orphan", map[string]string{internal: "Attempts DueAt", "the provider names it": "Route.Integration"})),
		"transaction": shown(toAPITransaction, unseen("ledger.Transaction", map[string]string{"the postings name its funds": "Provider", "of a dispute it is the number of a step": "Reference"})),
		"record": shown(pointed(toAPIRecord), unseen("syncrun.Copy", map[string]string{
			inPath: "Integration", internal: "Digest Prints Quantity Seen UpdatedAt", "the order or customer has it": "Email",
		})),
		"webhook call": shown(pointed(toAPIWebhookCall), unseen("integration.Delivery", map[string]string{
			inPath: "Integration", internal: "Remote At DueAt", "logs leave payloads out": "Payload",
		})),
		"subscription": shown(pointed(toAPISubscription), unseen("event.Subscription", map[string]string{secret: "Secret Previous", internal: "PreviousEnd ActiveSince"})),
		"delivery":     shown(pointed(toAPIDelivery), unseen("event.Delivery", map[string]string{inPath: "Target", internal: "Tries Since"})),
		"synonym":      shown(pointed(toAPISynonym), unseen("catalog.Synonym", nil)),
		"level":        shown(toAPILevel, nil),
	} {
		t.Run(name, test)
	}
}
