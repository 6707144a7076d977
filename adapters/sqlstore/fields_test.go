package sqlstore_test

import (
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
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
	"github.com/haggle-commerce/haggle/ports"
)

// Every read returns every field of every aggregate as it was written. Exceptions are listed with their reasons next to
// the test of their aggregate. A field that was added to a type and forgotten here or in the store fails with one line:
// its path, the value written and the value read.
func TestStore_keepsEveryField(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		for name, test := range map[string]func(*fieldShop){
			"account":           accountFields,
			"API key":           keyFields,
			"authenticator":     authenticatorFields,
			"member":            memberFields,
			"member's link":     memberLinkFields,
			"console session":   consoleSessionFields,
			"project":           projectFields,
			"product":           productFields,
			"level":             levelFields,
			"synonym":           synonymFields,
			"session":           sessionFields,
			"quote":             quoteFields,
			"decision":          decisionFields,
			"agent":             agentFields,
			"checkout":          checkoutFields,
			"order":             orderFields,
			"after-sales":       caseFields,
			"label":             labelFields,
			"note":              noteFields,
			"ledger":            ledgerFields,
			"orphaned charge":   orphanFields,
			"integration":       integrationFields,
			"authorization":     authorizationFields,
			"webhook":           webhookFields,
			"inbox delivery":    inboxFields,
			"sync run":          runFields,
			"copy":              copyFields,
			"subscription":      subscriptionFields,
			"event and its way": deliveryFields,
			"audit event":       auditFields,
			"signing key":       signingKeyFields,
			"agent key":         agentKeyFields,
			"job":               jobFields,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(openFieldShop(t, s))
			})
		}
	})
}

// knownValues are of types whose values are few.
var knownValues = []any{
	negotiation.OutcomeCountered, negotiation.Concession, project.BillingAgreement,
	account.Growth, agent.Active, agent.Remote, agent.OnFinal, agent.ByTuning,
	catalog.Archived, catalog.Backorder, checkout.Completed, checkout.OrphanRefunding, checkout.ByHaggle, agentid.MCP, checkout.DealExpired, negotiation.ProductFit, event.OrderRefundedType, event.Active, event.Unreachable,
	integration.Shopify, integration.Failing, integration.HookFailed, integration.SyncOrders, integration.WebhookFailed, integration.RefundRefused,
	ledger.FeeKind, negotiation.Agreed,
	negotiation.ClaimsOf(session.Claims{LoyaltyTier: "gold"}).Tier, negotiation.ClaimsOf(session.Claims{Urgency: "urgent"}).Urgency,
	negotiation.RehydrateBounds(usd(100), usd(95), usd(90), usd(80)),
	order.StatusRefunded, order.Shipped, order.RefundIsFailed, order.MadeElsewhere, order.Approved, order.DisputeLost, order.UnderReview,
	syncrun.Completed, syncrun.Orders, syncrun.BulkDenied, syncrun.Conflict, syncrun.EditedHere, job.Market, job.Failed,
	personalization.ClaimedLoyalty, personalization.Disclosed,
	signing.Current,
	member.Support, member.Join,
}

func fill[T any](known ...any) T { return fieldtest.Fill[T](append(known, knownValues...)...) }

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

func newID[T id.ID[K], K id.Kind]() T {
	var bits [16]byte
	rand.Read(bits[:])
	return id.New[T, K](bits)
}

func pointer[T any](v T) *T { return &v }

// fieldShop is a project of its own.
type fieldShop struct {
	*storetest.Store
	*testing.T
	owner   id.Account
	project *project.Project
}

func openFieldShop(t *testing.T, s *storetest.Store) *fieldShop {
	t.Helper()
	shop := &fieldShop{
		Store: s,
		T:     t,
		owner: newID[id.Account](),
	}
	shop.must(s.Accounts().Open(t.Context(), &account.Account{
		ID:        shop.owner,
		Name:      "Owner",
		Plan:      account.Growth,
		CreatedAt: fieldtest.Start,
	}))
	name := newID[id.Project]()
	shop.project = &project.Project{
		ID:        name,
		Account:   shop.owner,
		Name:      "Shop",
		Slug:      name.String(),
		Settings:  project.Settings{Currency: money.USD},
		CreatedAt: fieldtest.Start,
		UpdatedAt: fieldtest.Start,
	}
	shop.must(s.Projects().Create(t.Context(), shop.project))
	return shop
}

func (s *fieldShop) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// read is what was read without an error: read(s.Products().Get(…))(s).
func read[T any](value T, err error) func(*fieldShop) T {
	return func(s *fieldShop) T {
		s.Helper()
		s.must(err)
		return value
	}
}

// only is the one element of a list that was read without an error.
func only[T any](list []T, _ int, err error) func(*fieldShop) T {
	return func(s *fieldShop) T {
		s.Helper()
		s.must(err)
		if len(list) != 1 {
			s.Fatalf("%d are listed, want one", len(list))
		}
		return list[0]
	}
}

// survives checks several readings of what was written.
func (s *fieldShop) survives(except fieldtest.Reasons, written any, readings ...any) {
	s.Helper()
	var pairs []fieldtest.Pair
	for _, reading := range readings {
		pairs = append(pairs, fieldtest.Pair{Sent: written, Got: reading})
	}
	fieldtest.Survive(s, except, pairs...)
}

var firstPage = ports.Page{Limit: 10}

func (s *fieldShop) session() *session.Session {
	s.Helper()
	visit := &session.Session{
		ID:           newID[id.Session](),
		Project:      s.project.ID,
		CreatedAt:    fieldtest.Start,
		LastActivity: fieldtest.Start,
		ExpiresAt:    fieldtest.Start,
	}
	s.must(s.Sessions().Create(s.Context(), visit))
	return visit
}

// numbered gives each variant a GTIN, which is digits alone.
func numbered(p *catalog.Product, from int) {
	for i := range p.Variants {
		p.Variants[i].GTIN = fmt.Sprintf("%013d", from+i)
	}
}

func (s *fieldShop) product() *catalog.Product {
	s.Helper()
	p := fill[catalog.Product](catalog.Active)
	numbered(&p, 1)
	p.ID, p.Project, p.SKU = newID[id.Product](), s.project.ID, newID[id.Product]().String()
	for i := range p.Variants {
		p.Variants[i].ID, p.Variants[i].SKU = newID[id.Variant](), newID[id.Variant]().String()
	}
	s.must(s.Products().Create(s.Context(), ports.ProductWrite{Product: &p}))
	return &p
}
