package usecases

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// These tests negotiate while time passes, while the shop changes, and with many offers at once, on real tables.

// openSession opens a session with a search.
func (m *shopFixture) openSession() id.Session {
	m.t.Helper()
	found, err := m.search(discovery.SearchRequest{Query: catalog.Query{Text: "lantern"}})
	m.must(err)
	return found.Session.ID
}

func (m *shopFixture) search(r discovery.SearchRequest) (discovery.SearchAnswer, error) {
	prepared, err := m.discovery.PrepareSearch(ports.NewOutbound(m.t.Context()), m.project, r)
	if err != nil {
		return discovery.SearchAnswer{}, err
	}
	err = prepared.Commit(m.t.Context(), m.discovery.Stores)
	return prepared.Answer, err
}

// counter makes an offer for one piece that the shop counters, and returns the answer and the counter price in cents.
func (m *shopFixture) counter(p *catalog.Product, cents int64) (haggling.Answer, int64) {
	m.t.Helper()
	answer, err := m.offer(ports.HaggleAsk{Product: p.ID, Quantity: 1}, cents)
	m.must(err)
	countered, ok := answer.Decision.(negotiation.Countered)
	if !ok {
		m.t.Fatalf("%d was answered %#v", cents, answer.Decision)
	}
	return answer, countered.Price.Minor()
}

func followUp(a haggling.Answer) ports.HaggleAsk {
	return ports.HaggleAsk{Session: a.Session, Quote: a.Quote.ID}
}

// A session expires 30 minutes after its last request. Then quotes, searches, product views and checkouts in it are refused.
func TestPrepareQuote_sessionExpired(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(100_00, 60)
		d := m.agree(p)
		m.clock.advance(29 * time.Minute)
		_, err := m.offer(ports.HaggleAsk{
			Session:  d.session,
			Product:  p.ID,
			Quantity: 1,
		}, 0)
		m.must(err)
		m.clock.advance(29 * time.Minute) // every request has extended the session
		_, err = m.search(discovery.SearchRequest{Session: d.session})
		m.must(err)
		m.clock.advance(31 * time.Minute)
		_, err = m.offer(ports.HaggleAsk{
			Session:  d.session,
			Product:  p.ID,
			Quantity: 1,
		}, 90_00)
		m.refused(err, "session_expired")
		_, err = m.search(discovery.SearchRequest{Session: d.session})
		m.refused(err, "session_expired")
		_, err = m.discovery.View(m.t.Context(), m.project, p.ID, d.session, nil)
		m.refused(err, "session_expired")
		_, err = openCheckout(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.InitRequest{
			Session: d.session,
			Items:   []purchase.InitItem{cartItem(p, 1)},
			Address: shippingAddress,
		})
		m.refused(err, "session_expired")
	})
}

// An offer in an expired quote gets no decision and is not recorded in the session.
func TestPrepareQuote_quoteExpired(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(1000_00, 60)
		first, _ := m.counter(p, 880_00)
		m.clock.advance(negotiation.Validity)
		late, err := m.offer(followUp(first), 990_00)
		m.must(err)
		if !late.Expired || late.Decision != nil || late.Quote.ID != first.Quote.ID {
			m.t.Errorf("%+v", late)
		}
		visit, err := m.store.Sessions().Visit(m.t.Context(), m.project.ID, first.Session)
		m.must(err)
		if len(visit.History) != 1 {
			m.t.Errorf("%d entries of history, want 1", len(visit.History))
		}
	})
}

// A counter offer binds the shop until it expires, even if the list price doubles meanwhile.
func TestPrepareQuote_counterAfterPriceRise(t *testing.T) {
	for name, ask := range map[string]func(haggling.Answer, *catalog.Product) ports.HaggleAsk{
		"in the same quote": func(a haggling.Answer, _ *catalog.Product) ports.HaggleAsk { return followUp(a) },
		"in a new quote": func(a haggling.Answer, p *catalog.Product) ports.HaggleAsk {
			return ports.HaggleAsk{
				Session:  a.Session,
				Product:  p.ID,
				Quantity: 1,
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachEngine(t, func(m *shopFixture) {
				p := m.product(1000_00, 60)
				first, price := m.counter(p, 880_00)
				m.clock.advance(5 * time.Minute)
				m.reprice(p, 2000_00)
				m.clock.advance(9 * time.Minute)
				answer, err := m.offer(ask(first, p), price)
				m.must(err)
				want := negotiation.Accepted{Price: money.Of(price, money.USD), By: negotiation.Commitment}
				if answer.Decision != want {
					m.t.Errorf("%#v, want %#v", answer.Decision, want)
				}
				c := m.open(deal{answer.Session, answer.Token})
				if unit := c.Snapshot().Lines[0].Unit; unit != want.Price {
					m.t.Errorf("it sells at %s, want %s", unit, want.Price)
				}
			})
		})
	}
}

// An expired counter offer binds the shop neither in its quote nor in a new one.
func TestPrepareQuote_counterExpired(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(1000_00, 60)
		first, price := m.counter(p, 880_00)
		m.reprice(p, 2000_00)
		m.clock.advance(negotiation.Validity)
		late, err := m.offer(followUp(first), price)
		m.must(err)
		if !late.Expired {
			m.t.Errorf("the old quote answers %#v", late.Decision)
		}
		anew, err := m.offer(ports.HaggleAsk{
			Session:  first.Session,
			Product:  p.ID,
			Quantity: 1,
		}, price)
		m.must(err)
		if _, ok := anew.Decision.(negotiation.Rejected); !ok {
			m.t.Errorf("a new quote answers %#v", anew.Decision)
		}
	})
}

// Concurrent offers in one session are all answered, one after the other, and counter prices never rise.
func TestPrepareQuote_concurrentOffers(t *testing.T) {
	forEachEngine(t, func(m *shopFixture) {
		p := m.product(1000_00, 60)
		visit := m.openSession()
		const offers = 16
		m.countErrors(concurrently(offers, func(i int) error {
			_, err := m.offer(ports.HaggleAsk{
				Session:  visit,
				Product:  p.ID,
				Quantity: 1,
			}, 780_00+int64(i)*50) // below the floor, so that none is accepted
			return err
		}))
		seen, err := m.store.Sessions().Visit(m.t.Context(), m.project.ID, visit)
		m.must(err)
		if len(seen.History) != offers {
			m.t.Fatalf("%d entries of history, want %d", len(seen.History), offers)
		}
		counter := int64(1000_00)
		for i, entry := range seen.History {
			if entry.Seq != i+1 {
				m.t.Errorf("entry %d has seq %d", i+1, entry.Seq)
			}
			if entry.Price == nil || entry.Price.Minor() > counter {
				m.t.Errorf("entry %d rises to %v after %d", i+1, entry.Price, counter)
				continue
			}
			counter = entry.Price.Minor()
		}
	})
}
