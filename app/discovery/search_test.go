package discovery_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// stocked is a shop that has a tent at two locations, and a lantern as its complement.
func stocked() (s *fixture, tent, lantern *catalog.Product) {
	tent, lantern = product(1, 100_00), product(2, 50_00)
	return &fixture{
		products: []*catalog.Product{tent}, levels: []catalog.Level{level(tent, "main", 2), level(tent, "north", 3), level(lantern, "main", 1)},
		complements: []ports.Complement{{Product: lantern, Variant: lantern.Variants[0]}},
	}, tent, lantern
}

func TestPrepareSearch_opensSession(t *testing.T) {
	t.Parallel()
	s, tent, lantern := stocked()
	service, p := open(s)
	a, err := search(t, service, p, discovery.SearchRequest{Claims: &session.Claims{LoyaltyTier: "gold"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.created) != 1 || s.created[0].Claims.LoyaltyTier != "gold" || a.Session.ID != s.created[0].ID {
		t.Errorf("opened %+v", s.created)
	}
	if a.Stock.Of(tent) != 5 || len(s.restocks) != 1 || s.restocks[0][tent.Variants[0].ID] != 5 {
		t.Errorf("stock %v, told the index %v", a.Stock, s.restocks)
	}
	if len(a.Recommendations) != 1 || a.Recommendations[0].Product != lantern || len(s.shown) != 1 || s.shown[0] != lantern.ID {
		t.Errorf("recommended %+v, noted %v", a.Recommendations, s.shown)
	}
	if r := a.Recommendations[0]; r.Price != usd(50_00) || r.BundleDiscount <= 0 {
		t.Errorf("at %s, %s less in a bundle", r.Price, r.BundleDiscount)
	}
}

// The answer depends on the current stock, even if the index has an older one.
func TestFind_staleStock(t *testing.T) {
	t.Parallel()
	s, tent, _ := stocked()
	s.levels = []catalog.Level{level(tent, "main", 2)}
	service, p := open(s)
	a, err := search(t, service, p, discovery.SearchRequest{})
	if err != nil || len(a.Recommendations) != 0 || len(s.shown) != 0 || s.finds != 2 {
		t.Errorf("recommended what is sold out: %+v, noted %v, asked the index %d times, %v", a.Recommendations, s.shown, s.finds, err)
	}
	s.finds, s.complements, s.soldOut = 0, nil, true
	if _, err = search(t, service, p, discovery.SearchRequest{}); err != nil || s.finds != 2 {
		t.Errorf("taken for sold out: asked the index %d times, %v", s.finds, err)
	}
}

func TestRecommendations_noBundles(t *testing.T) {
	t.Parallel()
	s, _, _ := stocked()
	service, p := open(s)
	p.Settings.BundleSuggestions = false
	a, err := search(t, service, p, discovery.SearchRequest{})
	if err != nil || len(a.Recommendations) != 1 || a.Recommendations[0].BundleDiscount != 0 {
		t.Errorf("%+v, %v", a.Recommendations, err)
	}
}

func TestPrepareSearch_inSession(t *testing.T) {
	t.Parallel()
	s, _, lantern := stocked()
	service, p := open(s)
	s.session = session.Open(id.New[id.Session]([16]byte{5}), p.ID, session.Claims{}, 30*time.Minute, noon.Add(-time.Minute))
	a, err := search(t, service, p, discovery.SearchRequest{Session: s.session.ID})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.created) != 0 || *a.Session != *s.session || a.Session.LastActivity != noon || len(s.shown) != 1 || s.shown[0] != lantern.ID {
		t.Errorf("session %+v, opened %d, noted %v", a.Session, len(s.created), s.shown)
	}
	_, err = search(t, service, p, discovery.SearchRequest{Session: id.New[id.Session]([16]byte{6})})
	expectFault(t, err, "session_not_found")
}

// A session is not written if nothing changed in it, as within a minute.
func TestPrepareSearch_unchangedSession(t *testing.T) {
	t.Parallel()
	s, tent, lantern := stocked()
	service, p := open(s)
	gold := session.Claims{LoyaltyTier: "gold"}
	s.session = session.Open(id.New[id.Session]([16]byte{5}), p.ID, gold, 30*time.Minute, noon.Add(-59*time.Second))
	s.complements = nil
	_, searched := search(t, service, p, discovery.SearchRequest{Session: s.session.ID, Claims: &gold})
	_, viewed := service.View(t.Context(), p, tent.ID, s.session.ID, &gold)
	if searched != nil || viewed != nil || s.touched != 0 || len(s.shown) != 0 {
		t.Errorf("%v, %v, touched %d times, noted %v", searched, viewed, s.touched, s.shown)
	}
	s.complements = []ports.Complement{{Product: lantern, Variant: lantern.Variants[0]}}
	if _, err := search(t, service, p, discovery.SearchRequest{Session: s.session.ID}); err != nil || s.touched != 0 || len(s.shown) != 1 {
		t.Errorf("%v, touched %d times, noted %v", err, s.touched, s.shown)
	}
	silver := session.Claims{LoyaltyTier: "silver"}
	v, err := service.View(t.Context(), p, tent.ID, s.session.ID, &silver)
	if err != nil || s.touched != 1 || s.session.Claims != silver || v.Personalized.Reason != "Opening price for a silver member. Offers are welcome." {
		t.Errorf("%+v, %v, touched %d times, claims %+v", v.Personalized, err, s.touched, s.session.Claims)
	}
}

// The session of a repeatable answer counts as unused until the next request in it.
func TestPrepareSearch_repeatable(t *testing.T) {
	t.Parallel()
	s, tent, _ := stocked()
	service, p := open(s)
	a, err := search(t, service, p, discovery.SearchRequest{Repeatable: true})
	if err != nil || a.Session.Used() {
		t.Fatalf("%v, %+v", err, a.Session)
	}
	s.session = s.created[0]
	if _, err := service.View(t.Context(), p, tent.ID, s.session.ID, nil); err != nil || s.touched != 1 || !s.session.Used() {
		t.Errorf("%v, touched %d times, last active at %s", err, s.touched, s.session.LastActivity)
	}
}

func TestView_expiredSession(t *testing.T) {
	t.Parallel()
	s, tent, _ := stocked()
	service, p := open(s)
	s.session = session.Open(id.New[id.Session]([16]byte{5}), p.ID, session.Claims{}, 30*time.Minute, noon.Add(-31*time.Minute))
	_, err := service.View(t.Context(), p, tent.ID, s.session.ID, nil)
	expectFault(t, err, "session_expired")
}

func TestPrepareSearch_nothingFound(t *testing.T) {
	t.Parallel()
	s, _, _ := stocked()
	s.products = nil
	service, p := open(s)
	a, err := search(t, service, p, discovery.SearchRequest{})
	if err != nil || len(a.Recommendations) != 0 || len(s.shown) != 0 || a.Session == nil {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestPrepareSearch_fails(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*fixture){
		"reading the catalogue": func(s *fixture) { s.readErr = errGone },
		"searching":             func(s *fixture) { s.findErr = errGone },
		"asking the agent": func(s *fixture) {
			s.agent.choose = func(agent.SearchInput) (agent.SearchAnswer, error) { return agent.SearchAnswer{}, errGone }
		},
		"reading the stock": func(s *fixture) { s.stockErr = errGone },
	} {
		s, _, _ := stocked()
		breaks(s)
		service, p := open(s)
		if _, err := search(t, service, p, discovery.SearchRequest{}); !errors.Is(err, errGone) || len(s.created) != 0 {
			t.Errorf("%s: %v, %d sessions", name, err, len(s.created))
		}
	}
}

func TestView(t *testing.T) {
	t.Parallel()
	gold := &session.Claims{LoyaltyTier: " Gold "}
	for name, test := range map[string]struct {
		change func(*catalog.Product)
		claims *session.Claims
		reason string
	}{
		"anybody":                {nil, nil, "Opening price. Offers are welcome."},
		"a member":               {nil, gold, "Opening price for a gold member. Offers are welcome."},
		"a returning customer":   {nil, &session.Claims{PurchaseHistory: 3}, "Opening price for a returning customer. Offers are welcome."},
		"nonsense":               {nil, &session.Claims{LoyaltyTier: "emperor", PurchaseHistory: -3}, "Opening price. Offers are welcome."},
		"what has a fixed price": {func(p *catalog.Product) { p.Negotiable = false }, gold, "Sold at its list price."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, tent, _ := stocked()
			if test.change != nil {
				test.change(tent)
			}
			service, p := open(s)
			v, err := service.View(t.Context(), p, tent.ID, id.Session{}, test.claims)
			if err != nil {
				t.Fatal(err)
			}
			if v.Personalized.Reason != test.reason || v.Stock.Of(tent) != 5 {
				t.Errorf("%+v, want %q", v, test.reason)
			}
			expectPrices(t, v, tent.Price)
		})
	}
}

// expectPrices checks the shown prices: none above list, and a suggested offer that is a multiple of five or the current price.
func expectPrices(t *testing.T, v discovery.ProductView, list money.Amount) {
	t.Helper()
	shown := v.Personalized
	if shown.Price.Minor() > list.Minor() || shown.Discount != money.Off(list, shown.Price) {
		t.Errorf("personalized %+v on a list price of %s", shown, list)
	}
	if from := v.SuggestedOffer; from != v.AcceptanceFrom || from.Minor() > shown.Price.Minor() || from.Minor()%500 != 0 && from != shown.Price {
		t.Errorf("suggested %s, accepted from %s", v.SuggestedOffer, v.AcceptanceFrom)
	}
}

func TestView_inSession(t *testing.T) {
	t.Parallel()
	s, tent, _ := stocked()
	service, p := open(s)
	s.session = session.Open(id.New[id.Session]([16]byte{5}), p.ID, session.Claims{LoyaltyTier: "gold"}, 30*time.Minute, noon.Add(-time.Minute))
	v, err := service.View(t.Context(), p, tent.ID, s.session.ID, nil)
	if err != nil || v.Personalized.Reason != "Opening price for a gold member. Offers are welcome." || s.session.LastActivity != noon {
		t.Errorf("%+v, %v", v.Personalized, err)
	}
}

func TestView_unknown(t *testing.T) {
	t.Parallel()
	s, tent, _ := stocked()
	service, p := open(s)
	_, err := service.View(t.Context(), p, id.New[id.Product]([16]byte{9}), id.Session{}, nil)
	expectFault(t, err, "product_not_found")
	_, err = service.View(t.Context(), p, tent.ID, id.New[id.Session]([16]byte{9}), nil)
	expectFault(t, err, "session_not_found")
	s.readErr = errGone
	if _, err = service.View(t.Context(), p, tent.ID, id.Session{}, nil); !errors.Is(err, errGone) {
		t.Errorf("got %v", err)
	}
}

func TestPrepareSearch_writesNothing(t *testing.T) {
	t.Parallel()
	s, transaction := &fixture{}, &fixture{}
	service, p := open(s)
	prepared, err := service.PrepareSearch(ports.NewOutbound(t.Context()), p, discovery.SearchRequest{})
	if err != nil || len(s.created) != 0 {
		t.Fatalf("%v, %d sessions", err, len(s.created))
	}
	err = prepared.Commit(t.Context(), &ports.Stores{Sessions: fakeSessions{fixture: transaction}})
	if err != nil || len(s.created) != 0 || len(transaction.created) != 1 || transaction.created[0].ID != prepared.Answer.Session.ID {
		t.Errorf("%v, %d sessions outside of the transaction, %d in it", err, len(s.created), len(transaction.created))
	}
}
