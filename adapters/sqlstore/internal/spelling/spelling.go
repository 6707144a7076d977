// Package spelling converts ids and values of closed domain types (enums) to the texts that columns store, and back.
// These words never change, because existing rows have them. Reading an unknown word is an error.
package spelling

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

var errUnknown = errors.New("unknown word")

// Text is how values of a type T are stored as text.
type Text struct {
	Read  func(text string, to any) error // to is a *T
	Write func(from any) string           // from is a *T
	Word  func(value any) string          // value is a T
}

// For returns how values of a type are stored as text, if they are.
func For(t reflect.Type) (Text, bool) {
	text, known := texts[t]
	return text, known
}

// Every type that is stored as text needs a line here.
var texts = index(
	known(id.Stored[id.Account]), known(id.Stored[id.APIKey]), known(id.Stored[id.Project]), known(id.Stored[id.Product]),
	known(id.Stored[id.Variant]), known(id.Stored[id.Session]), known(id.Stored[id.Quote]), known(id.Stored[id.Checkout]),
	known(id.Stored[id.Order]), known(id.Stored[id.Payment]), known(id.Stored[id.Return]), known(id.Stored[id.Event]),
	known(id.Stored[id.Decision]), known(id.Stored[id.AuditEvent]), known(id.Stored[id.Authenticator]), known(id.Stored[id.Refund]),
	known(id.Stored[id.Transaction]), known(id.Stored[id.Subscription]), known(id.Stored[id.Delivery]), known(id.Stored[id.Integration]),
	known(id.Stored[id.Webhook]), known(id.Stored[id.WebhookLog]), known(id.Stored[id.Sync]), known(id.Stored[id.Label]), known(id.Stored[id.Note]),
	known(id.Stored[id.Synonym]), known(id.Stored[id.Agent]), known(id.Stored[id.Dispute]), known(id.Stored[id.Negotiation]),
	known(id.Stored[id.Member]), known(id.Stored[id.MemberLink]), known(id.Stored[id.ConsoleSession]), known(id.Stored[id.AgentKey]), known(id.Stored[id.Job]),
	known(ledger.StoredAccount),
	words(checkout.Statuses), words(checkout.HookProtocols), words(agentid.Protocols), words(checkout.ProblemKinds), words(checkout.OrphanStates), words(order.Statuses), words(order.PaymentStatuses),
	words(order.FulfillmentStatuses), words(order.ReturnStatuses), words(order.RefundStatuses), words(order.RefundOrigins),
	words(order.DisputeStatuses), words(order.DisputeResponses), words(ledger.Kinds), words(project.Statuses), words(syncrun.Statuses), words(syncrun.NoticeCodes), words(syncrun.ChangeKinds), words(syncrun.Rules), words(job.Kinds), words(job.Statuses), words(quoteStates), words(signing.States), words(member.Methods),
	words(integration.Statuses), words(integration.RefusedOrdersByName), words(order.PlatformStatuses), words(order.DealStatuses), words(integration.HookStatuses), words(integration.WebhookStatuses), words(integration.LogStatuses),
	parsed(account.ParsePlan), parsed(account.ParseEnvironment), parsed(integration.ParseType),
	parsed(rule),
	oneOf(agent.Draft, agent.Active), oneOf(agent.Builtin, agent.Remote),
	oneOf(agent.ByHouse, agent.ByMerchant, agent.ByTuning), oneOf(catalog.Active, catalog.Archived), oneOf(catalog.InventoryPolicies...),
	oneOf(member.Roles...), oneOf(member.Join, member.Reset, member.SignIn),
	known(syncrun.StoredResource), known(event.StoredType), known(event.StoredTarget), known(event.StoredReason), oneOf(event.Active, event.Disabled),
	oneOf(event.Pending, event.Delivered, event.Failed, event.Canceled),
	known(integration.StoredAction), spelled(wanted, wantedText),
	spelled(currency, money.Currency.Code),
	own(Methods),
	known(func(tier string) negotiation.Tier {
		return negotiation.ClaimsOf(session.Claims{LoyaltyTier: tier}).Tier
	}),
	known(func(urgency string) negotiation.Urgency {
		return negotiation.ClaimsOf(session.Claims{Urgency: urgency}).Urgency
	}),
	known(personalization.StoredSignals), words(personalization.Modes),
	own(outcomes), own(occasions), oneOf(negotiation.Reasons()...),
)

var quoteStates = map[string]negotiation.State{
	negotiation.Open.String():       negotiation.Open,
	negotiation.Agreed.String():     negotiation.Agreed,
	negotiation.Superseded.String(): negotiation.Superseded,
	negotiation.Declined.String():   negotiation.Declined,
}

// currency reads "" as none.
func currency(code string) (money.Currency, error) {
	if code == "" {
		return money.Currency{}, nil
	}
	return money.ParseCurrency(code)
}

func rule(word string) (negotiation.Rule, error) {
	r, known := negotiation.ParseRule(word)
	if !known {
		return r, errUnknown
	}
	return r, nil
}

// outcomes are the words of the column response.
var outcomes = map[negotiation.Outcome]string{
	negotiation.OutcomeQuoted:    "quote",
	negotiation.OutcomeAccepted:  "accept",
	negotiation.OutcomeCountered: "counter_offer",
	negotiation.OutcomeRejected:  "reject",
}

// occasions are the words for what an agent's templates answer.
var occasions = map[agent.Occasion]string{
	agent.OnAccept:  "accept",
	agent.OnCounter: "counter_offer",
	agent.OnFinal:   "final_offer",
	agent.OnUnmoved: "unmoved",
	agent.OnReject:  "reject",
}

// Methods are the words for payment methods. The word is empty if there was no payment attempt, or the sandbox's key is
// void.
var Methods = map[project.PaymentMethod]string{
	{}:                         "",
	project.SharedPaymentToken: "psp_spt",
	project.BillingAgreement:   "wallet_ba",
}

type entry struct {
	of   reflect.Type
	text Text
}

func index(entries ...entry) map[reflect.Type]Text {
	all := make(map[reflect.Type]Text, len(entries))
	for _, e := range entries {
		all[e.of] = e.text
	}
	return all
}

// spelled has a parser and a formatter.
func spelled[T any](parse func(string) (T, error), format func(T) string) entry {
	return entry{reflect.TypeFor[T](), Text{
		Read: func(text string, to any) (err error) {
			if *to.(*T), err = parse(text); err != nil {
				return fmt.Errorf("%s %q: %w", reflect.TypeFor[T](), text, err)
			}
			return nil
		},
		Write: func(from any) string { return format(*from.(*T)) },
		Word:  func(value any) string { return format(value.(T)) },
	}}
}

func parsed[T fmt.Stringer](parse func(string) (T, error)) entry { return spelled(parse, T.String) }

// known reads any text.
func known[T fmt.Stringer](read func(string) T) entry {
	return parsed(func(text string) (T, error) { return read(text), nil })
}

// oneOf has the words of these values, and none for the zero value.
func oneOf[T fmt.Stringer](values ...T) entry {
	all := make(map[string]T, len(values))
	for _, v := range values {
		all[v.String()] = v
	}
	return words(all)
}

// words has these words, and none for the zero value.
func words[T fmt.Stringer](all map[string]T) entry {
	return parsed(func(word string) (T, error) {
		value, known := all[word]
		if !known && word != "" {
			return value, errUnknown
		}
		return value, nil
	})
}

// wanted are stored as names with commas between them.
func wanted(text string) (all []syncrun.Resource, err error) {
	for name := range strings.SplitSeq(text, ",") {
		if name != "" {
			all = append(all, syncrun.StoredResource(name))
		}
	}
	return all, nil
}

func wantedText(all []syncrun.Resource) string {
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.String()
	}
	return strings.Join(names, ",")
}

// own has words of the store's own.
func own[T comparable](all map[T]string) entry {
	read := make(map[string]T, len(all))
	for value, word := range all {
		read[word] = value
	}
	return spelled(func(word string) (T, error) {
		value, known := read[word]
		if !known {
			return value, errUnknown
		}
		return value, nil
	}, func(value T) string { return all[value] })
}
