package analytics

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Session is the record of one session. Parts that are Fresh have not been counted yet.
type Session struct {
	ID        id.Session
	Began     time.Time
	Protocol  agentid.Protocol // by which it was opened
	Decisions []Decision       // by seq
	Checkouts []Checkout
	Orders    []Order
	// Declined are the buyer's reasons for declining quotes, if it gave any. Figures do not need them, so they may not
	// have been loaded.
	Declined map[id.Quote]negotiation.Reason
}

// Decision is an answer to an offer or to a price inquiry. Prices are per unit.
type Decision struct {
	ID       string
	Fresh    bool
	Quote    id.Quote
	Item     negotiation.Item
	At       time.Time
	Currency string
	Offer    *int64
	Outcome  negotiation.Outcome
	Price    *int64
	Rule     negotiation.Rule
	Agent    id.Agent
	Policy   int // its version
	Handler  string
	Fallback string
	List     int64
	Floor    int64
	Cost     *int64 // of an accepted offer
}

// Checkout has the quotes that a checkout was opened with.
type Checkout struct {
	ID     string
	Fresh  bool
	Quotes []id.Quote
}

// Order is a paid order.
type Order struct {
	ID       string
	Fresh    bool
	At       time.Time
	Gross    int64
	Protocol agentid.Protocol // by which its checkout was opened
	Lines    []Line
}

// Line is a line of an order. Prices are per unit.
type Line struct {
	Product    id.Product
	Quantity   int
	Unit, List int64
	Quote      id.Quote
}

// Fact is a session's contribution to the figures of the time at which something happened.
type Fact struct {
	At time.Time
	Figures
}

// Lost is a negotiation with an offer and, so far, without a deal. Prices are per unit.
type Lost struct {
	Item     negotiation.Item
	Began    time.Time
	Last     time.Time // the last answer
	Currency string
	Best     int64 // the buyer's best offer
	Standing int64 // the price that the shop is committed to
	List     int64
	Floor    int64
}

// KeptWithin is how far below the floor, in percent of the floor, the best offer of a Lost may be.
const KeptWithin = 50

// Near reports whether the best offer is at most thousandths of the floor below the floor.
func (l Lost) Near(thousandths int64) bool { return l.Best*1000 >= l.Floor*(1000-thousandths) }

// Counted returns the session without its fresh parts.
func (s Session) Counted() Session {
	s.Decisions = slices.DeleteFunc(slices.Clone(s.Decisions), func(d Decision) bool { return d.Fresh })
	s.Checkouts = slices.DeleteFunc(slices.Clone(s.Checkouts), func(c Checkout) bool { return c.Fresh })
	s.Orders = slices.DeleteFunc(slices.Clone(s.Orders), func(o Order) bool { return o.Fresh })
	return s
}

// Facts returns the facts of the session and the negotiations that it lost.
func (s Session) Facts() ([]Fact, []Lost) {
	var facts []Fact
	var lost []Lost
	if len(s.Orders) > 0 {
		facts = append(facts, Fact{s.Began, Figures{Buyers: 1}})
	}
	opened, paid, costs := s.quotes()
	for _, t := range s.threads() {
		f := t.figures(opened, paid)
		if f.Deals > 0 {
			f.Protocols = map[agentid.Protocol]Traffic{s.Protocol: {Deals: f.Deals}}
		}
		facts = append(facts, Fact{t[0].At, f})
		if l, ok := t.lost(); ok {
			lost = append(lost, l)
		}
	}
	for _, o := range s.Orders {
		facts = append(facts, Fact{o.At, o.figures(costs)})
	}
	return facts, lost
}

// quotes returns the quotes that came into a checkout, those that were paid, and the known costs.
func (s Session) quotes() (opened, paid map[id.Quote]bool, costs map[costKey]int64) {
	opened, paid, costs = map[id.Quote]bool{}, map[id.Quote]bool{}, map[costKey]int64{}
	for _, c := range s.Checkouts {
		for _, q := range c.Quotes {
			opened[q] = true
		}
	}
	for _, o := range s.Orders {
		for _, l := range o.Lines {
			paid[l.Quote] = true
		}
	}
	for _, d := range s.Decisions {
		if d.Cost != nil {
			costs[costKey{d.Quote, d.Item.Product}] = *d.Cost
		}
	}
	return opened, paid, costs
}

// costKey is a product within a quote. A bundle's second product has no recorded cost.
type costKey struct {
	quote   id.Quote
	product id.Product
}

// thread is a negotiation: the decisions on one product, variant and quantity in a session.
type thread []Decision

// threads returns the negotiations in the order in which they began.
func (s Session) threads() []thread {
	var all []thread
	places := map[negotiation.Item]int{}
	for _, d := range s.Decisions {
		at, known := places[d.Item]
		if !known {
			at = len(all)
			places[d.Item], all = at, append(all, nil)
		}
		all[at] = append(all[at], d)
	}
	return all
}

func (t thread) figures(opened, paid map[id.Quote]bool) Figures {
	f := Figures{Negotiations: 1, Rules: map[string]int64{}}
	var deal *Decision
	for i, d := range t {
		f.Rules[d.Rule.String()]++
		if d.Fallback != "" {
			addCounts(&f.Fallbacks, map[string]int64{d.Fallback: 1}, 1)
		}
		if d.Offer != nil {
			f.Offers++
			f.Offered = 1
		}
		switch d.Outcome {
		case negotiation.OutcomeCountered:
			f.Countered = 1
		case negotiation.OutcomeRejected:
			f.Rejected = 1
		case negotiation.OutcomeAccepted:
			deal = &t[i]
		}
		f.Opened |= one(d.Outcome == negotiation.OutcomeAccepted && opened[d.Quote])
		f.Paid |= one(d.Outcome == negotiation.OutcomeAccepted && paid[d.Quote])
	}
	if deal != nil {
		f.close(*deal)
	}
	outcomes := Outcomes{1, f.Offered, f.Deals}
	f.Policies = map[string]Outcomes{t[0].Agent.String() + "/" + strconv.Itoa(t[0].Policy): outcomes}
	f.Handlers = map[string]Outcomes{t[0].Handler: outcomes}
	return f
}

// close counts the last deal of a negotiation. There is a second deal if the buyer let the first one expire.
func (f *Figures) close(d Decision) {
	f.Deals = 1
	price := d.List
	if d.Price != nil {
		price = *d.Price
	}
	f.DealDiscount = share(d.List-price, d.List, million)
	f.DealDiscounts = map[int]int64{int(share(d.List-price, d.List, 1000)): 1}
	if d.Cost != nil {
		f.DealKnown, f.DealCost = price*int64(d.Item.Quantity), *d.Cost*int64(d.Item.Quantity)
	}
}

const million = 1_000_000

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// lost returns the negotiation if it ended without a deal and not too far below the floor.
func (t thread) lost() (Lost, bool) {
	last := t[len(t)-1]
	l := Lost{
		Item:     last.Item,
		Began:    t[0].At,
		Last:     last.At,
		Currency: last.Currency,
		Best:     -1,
		Standing: t[0].List,
		List:     last.List,
		Floor:    last.Floor,
	}
	for _, d := range t {
		if d.Outcome == negotiation.OutcomeAccepted {
			return Lost{}, false
		}
		if d.Offer != nil {
			l.Best = max(l.Best, *d.Offer)
		}
		if d.Price != nil {
			l.Standing = *d.Price
		}
	}
	return l, l.Best >= 0 && l.Near(KeptWithin*10)
}

// Unsold is a product that the buyer made offers on and did not buy, as its last negotiation ended.
type Unsold struct {
	Item        negotiation.Item
	Currency    string
	List        int64
	BestOffer   int64
	LastCounter *int64             // nil: the shop made none
	Reason      negotiation.Reason // of the last decline; zero: none, or not given
}

// Unsold returns the products that the buyer made offers on and did not buy: no offer on any variant or quantity of the
// product was accepted, and no order has it.
func (s Session) Unsold() (unsold []Unsold) {
	sold := map[id.Product]bool{}
	for _, o := range s.Orders {
		for _, l := range o.Lines {
			sold[l.Product] = true
		}
	}
	places := map[id.Product]int{}
	for _, t := range s.threads() {
		u, deal := t.unsold()
		for _, d := range t {
			u.Reason = cmp.Or(s.Declined[d.Quote], u.Reason)
		}
		switch at, known := places[u.Item.Product]; {
		case deal:
			sold[u.Item.Product] = true
		case u.BestOffer < 0:
		case known:
			unsold[at] = u
		default:
			places[u.Item.Product], unsold = len(unsold), append(unsold, u)
		}
	}
	return slices.DeleteFunc(unsold, func(u Unsold) bool { return sold[u.Item.Product] })
}

// unsold returns the state of the negotiation; BestOffer is -1 without an offer. deal reports whether an offer was
// accepted.
func (t thread) unsold() (u Unsold, deal bool) {
	last := t[len(t)-1]
	u = Unsold{
		Item:      last.Item,
		Currency:  last.Currency,
		List:      last.List,
		BestOffer: -1,
	}
	for _, d := range t {
		if d.Offer != nil {
			u.BestOffer = max(u.BestOffer, *d.Offer)
		}
		if d.Outcome == negotiation.OutcomeCountered {
			u.LastCounter = d.Price
		}
		deal = deal || d.Outcome == negotiation.OutcomeAccepted
	}
	return u, deal
}

func (o Order) figures(costs map[costKey]int64) Figures {
	f := Figures{
		Orders:   1,
		Gross:    o.Gross,
		Products: map[string]Sold{},
	}
	for _, l := range o.Lines {
		n := int64(l.Quantity)
		sold := Sold{
			Units: n,
			List:  n * l.List,
			Goods: n * l.Unit,
		}
		if cost, known := costs[costKey{l.Quote, l.Product}]; known && !l.Quote.IsZero() {
			sold.Known, sold.Cost = sold.Goods, n*cost
		}
		f.Units, f.List, f.Goods = f.Units+sold.Units, f.List+sold.List, f.Goods+sold.Goods
		f.Known, f.Cost = f.Known+sold.Known, f.Cost+sold.Cost
		f.Products[l.Product.String()] = f.Products[l.Product.String()].plus(sold, 1)
	}
	f.PaidDiscount = share(f.List-f.Goods, f.List, million)
	f.PaidDiscounts = map[int]int64{int(share(f.List-f.Goods, f.List, 1000)): 1}
	f.Protocols = map[agentid.Protocol]Traffic{o.Protocol: {Orders: 1, Gross: o.Gross}}
	return f
}
