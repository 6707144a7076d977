package remoteagent

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// decimal is a JSON number as written; nil is null.
type decimal = jsontext.Value

func toAPIMoney(a money.Amount) decimal { return decimal(a.String()) }

func toAPIPrice(a *money.Amount) decimal {
	if a == nil {
		return nil
	}
	return toAPIMoney(*a)
}

func thousandths(n int) decimal { return decimal(money.FormatDecimal(int64(n), 3)) }

// request has the members that all events share.
type request struct {
	ID        string       `json:"id"`
	Type      string       `json:"type"`
	CreatedAt string       `json:"created_at"`
	ProjectID string       `json:"project_id"`
	AgentID   *string      `json:"agent_id"`
	Session   *sessionView `json:"session"`
	Policy    policyView   `json:"policy"`
	Data      any          `json:"data"`
}

type sessionView struct {
	ID           string        `json:"session_id"`
	CreatedAt    string        `json:"created_at"`
	BuyerContext *buyerContext `json:"buyer_context"`
	Member       *member       `json:"member"`
}

type buyerContext struct {
	LoyaltyTier     string `json:"loyalty_tier"`
	Location        string `json:"location"`
	PurchaseHistory int    `json:"purchase_history"`
	Urgency         string `json:"urgency"`
}

type member struct {
	Tier      string `json:"tier"`
	Purchases int    `json:"purchases"`
}

type policyView struct {
	Version         int     `json:"version"`
	Negotiable      bool    `json:"negotiable"`
	MaxDiscount     decimal `json:"max_discount_percent"`
	MinMargin       decimal `json:"min_margin_percent"`
	UnverifiedShare decimal `json:"unverified_share_percent"`
	RoundCap        int     `json:"round_cap"`
}

func toAPIRequest(event id.Event, kind string, of id.Agent, s agent.Scene, data any, now time.Time) request {
	r := request{
		ID:        event.String(),
		Type:      kind,
		CreatedAt: toAPITime(now),
		Session:   toAPISession(s.Session),
		Policy:    toAPIPolicy(s.Mandate.Policy),
		Data:      data,
	}
	if s.Project != nil {
		r.ProjectID = s.Project.ID.String()
	}
	if !of.IsZero() {
		text := of.String()
		r.AgentID = &text
	}
	return r
}

func toAPITime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func toAPISession(s *session.Session) *sessionView {
	if s == nil {
		return nil
	}
	view := &sessionView{
		ID:           s.ID.String(),
		CreatedAt:    toAPITime(s.CreatedAt),
		BuyerContext: toAPIClaims(s),
	}
	if s.Claims.Member != (session.Member{}) {
		view.Member = &member{s.Claims.Member.Tier, s.Claims.Member.Purchases}
	}
	return view
}

// toAPIClaims returns nil if the buyer claims nothing.
func toAPIClaims(s *session.Session) *buyerContext {
	if s == nil {
		return nil
	}
	said := buyerContext{s.Claims.LoyaltyTier, s.Claims.Location, s.Claims.PurchaseHistory, s.Claims.Urgency}
	if said == (buyerContext{}) {
		return nil
	}
	return &said
}

func toAPIPolicy(p negotiation.Policy) policyView {
	return policyView{
		Version:         p.Version,
		Negotiable:      p.Enabled,
		MaxDiscount:     decimal(p.MaxDiscount.Decimal()),
		MinMargin:       decimal(p.MinMargin.Decimal()),
		UnverifiedShare: decimal(p.UnverifiedShare.Decimal()),
		RoundCap:        p.RoundCap,
	}
}

type searchData struct {
	Query      string      `json:"query"`
	Filters    filters     `json:"filters"`
	Prefers    []string    `json:"prefers"`
	Sort       string      `json:"sort,omitempty"` // omitted: by relevance
	Limit      int         `json:"limit"`
	Currency   string      `json:"currency"`
	Total      int         `json:"total"`
	Candidates []candidate `json:"candidates"`
}

type filters struct {
	Category   string              `json:"category"`
	PriceMax   decimal             `json:"price_max"`
	Size       string              `json:"size"`
	Colors     []string            `json:"colors"`
	Brands     []string            `json:"brands,omitempty"`
	PriceMin   decimal             `json:"price_min,omitempty"`
	InStock    bool                `json:"in_stock,omitzero"`
	Attributes map[string][]string `json:"attributes,omitempty"`
	RatingMin  decimal             `json:"rating_min,omitempty"`
}

type candidate struct {
	ProductID string   `json:"product_id"`
	Name      string   `json:"name"`
	Brand     string   `json:"brand"`
	Category  string   `json:"category"`
	ListPrice decimal  `json:"list_price"`
	Score     decimal  `json:"score"`
	InStock   bool     `json:"in_stock"`
	Reasons   []string `json:"reasons"`
}

func toAPISearch(in agent.SearchInput) searchData {
	data := searchData{
		Query:   in.Query.Text,
		Prefers: in.Query.Prefer,
		Limit:   limitOf(in.Query),
		Total:   in.Candidates.Total,
		Filters: toAPIFilters(in.Query.Filter),
	}
	if in.Query.Sort != catalog.Relevance {
		data.Sort = in.Query.Sort.String()
	}
	if in.Project != nil {
		data.Currency = in.Project.Settings.Currency.Code()
	}
	for _, hit := range in.Candidates.Hits {
		p := hit.Product
		price := p.Price
		if len(p.Variants) > 0 {
			price = p.PriceOf(p.Variants[0]) // as buyers see it
		}
		data.Candidates = append(data.Candidates, candidate{
			p.ID.String(), p.Name, p.Brand, p.Category, toAPIMoney(price), thousandths(hit.Score), hit.InStock, hit.Reasons,
		})
	}
	return data
}

func toAPIFilters(f catalog.Filter) filters {
	shown := filters{
		Category:   f.Category(),
		PriceMax:   toAPIPrice(f.PriceMax),
		Size:       f.Size,
		Colors:     f.Colors,
		Brands:     f.Brands,
		InStock:    f.InStock,
		Attributes: f.Attributes,
	}
	if f.PriceMin != nil {
		shown.PriceMin = toAPIPrice(f.PriceMin)
	}
	if f.RatingMin > 0 {
		shown.RatingMin = decimal(money.FormatDecimal(int64(f.RatingMin), 2))
	}
	return shown
}

func limitOf(q catalog.Query) int {
	if q.Limit > 0 {
		return q.Limit
	}
	return catalog.DefaultLimit
}

type checkoutData struct {
	SessionID *string `json:"session_id"`
	Currency  string  `json:"currency"`
	Lines     []line  `json:"lines"`
}

type line struct {
	ProductID string  `json:"product_id"`
	VariantID string  `json:"variant_id"`
	SKU       string  `json:"sku"`
	Name      string  `json:"name"`
	Quantity  int     `json:"quantity"`
	UnitPrice decimal `json:"unit_price"`
	ListPrice decimal `json:"list_price"`
}

func toAPICheckout(in agent.CheckoutInput) checkoutData {
	data := checkoutData{}
	if in.Session != nil {
		text := in.Session.ID.String()
		data.SessionID = &text
	}
	for _, l := range in.Lines {
		data.Currency = l.Unit.Currency().Code()
		data.Lines = append(data.Lines, line{
			l.Product.String(), l.Variant.String(), l.SKU, l.Name, l.Quantity, toAPIMoney(l.Unit), toAPIMoney(l.Original),
		})
	}
	return data
}

type finalizeData struct {
	CheckoutID string  `json:"checkout_id"`
	Total      decimal `json:"total"`
	Currency   string  `json:"currency"`
}

func toAPIFinalize(in agent.FinalizeInput) finalizeData {
	return finalizeData{in.Checkout.ID().String(), toAPIMoney(in.Total), in.Total.Currency().Code()}
}

// courtesy is the timeout of reading the session's history.
const courtesy = 500 * time.Millisecond

// remembered is how many of the session's last answers a request contains.
const remembered = 20

// recall reads the end of the session's history. The history is optional: if it cannot be read in time, recall returns none.
func recall(ctx context.Context, s agent.Scene) []negotiation.Entry {
	if s.History == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, courtesy)
	defer cancel()
	entries, err := s.History(ctx)
	if err != nil {
		return nil
	}
	return entries[max(0, len(entries)-remembered):]
}
