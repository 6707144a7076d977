package simulating

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Learn first runs negotiations of n other buyers of each population with the policy, and tunes the policy by their records, as
// haggle agents tune does: it uses a proposal only if Proposal.Better. It returns a seller for each population by name.
func (s PolicySeller) Learn(ctx context.Context, c Config, n int, show func(string)) (map[string]PolicySeller, error) {
	learnt := make(map[string]PolicySeller, len(c.Populations))
	for i, p := range c.Populations {
		show(fmt.Sprintf("learning %d of %d: %s", i+1, len(c.Populations), p.Name()))
		records, err := s.record(ctx, c, p, n)
		if err != nil {
			return nil, err
		}
		proposal, err := tuning.Propose(ctx, records, s.Policy, tuning.Options{Seed: 1})
		if err != nil {
			return nil, err
		}
		tuned := s
		if proposal.Better() {
			tuned.Policy = proposal.Policy
		}
		learnt[p.Name()] = tuned
	}
	return learnt, nil
}

// record runs negotiations of n buyers of a population and returns their records. They are other buyers than the report's.
func (s PolicySeller) record(ctx context.Context, c Config, p market.Population, n int) ([]tuning.Record, error) {
	recorded := &recorder{PolicySeller: s}
	c.Seed, c.Buyers, c.Seller, c.SellerOf, c.Progress = ^c.Seed, n, recorded, nil, nil
	c.Populations, c.Apart = []market.Population{p}, nil
	if _, err := Run(ctx, c); err != nil {
		return nil, err
	}
	records := make([]tuning.Record, 0, len(recorded.negotiations))
	for _, t := range recorded.negotiations {
		if r, ok := tuning.FromEntries(t.entries, s.Policy.RoundCap); ok && r.Explicable() {
			records = append(records, r)
		}
	}
	slices.SortFunc(records, byOffers) // because their order depends on scheduling
	for i := range records {           // each buyer has a session of its own
		var bits [16]byte
		binary.BigEndian.PutUint64(bits[:], uint64(i))
		records[i].Session = id.New[id.Session](bits)
	}
	return records, nil
}

// byOffers orders records by their offers and prices. Equal records are interchangeable.
func byOffers(a, b tuning.Record) int {
	return cmp.Or(
		slices.CompareFunc(a.Rounds, b.Rounds, func(x, y tuning.Round) int {
			return cmp.Or(cmp.Compare(x.Offer, y.Offer), cmp.Compare(x.Price, y.Price))
		}),
		cmp.Compare(a.Price, b.Price), cmp.Compare(a.End, b.End))
}

// recorder is a seller that keeps the entries of the decision record.
type recorder struct {
	PolicySeller
	mu           sync.Mutex
	negotiations []*recordedNegotiation
}

type recordedNegotiation struct {
	quoteNegotiation
	signals negotiation.Signals
	entries []negotiation.Entry
}

func (b *recorder) Open(item market.Item) market.Negotiation {
	t := &recordedNegotiation{quoteNegotiation: startQuote(b.Policy, b.signals(item)), signals: b.signals(item)}
	b.mu.Lock()
	b.negotiations = append(b.negotiations, t)
	b.mu.Unlock()
	return t
}

func (t *recordedNegotiation) Offer(price int64) market.Answer {
	offer := money.Of(price, t.currency)
	table := t.quote.Table(t.terms, &offer)
	t.entries = append(t.entries, negotiation.NewEntry(id.Decision{}, len(t.entries)+1, t.quote, table, t.signals, negotiation.Decide(table), "", noon))
	return t.quoteNegotiation.Offer(price)
}
