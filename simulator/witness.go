package simulator

import (
	"fmt"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// Breach is one promise of the merchant that a buyer saw broken.
type Breach struct {
	Rule   string // short and fixed, for counting
	Detail string
}

// String is the breach on one line.
func (b Breach) String() string { return b.Rule + ": " + b.Detail }

// Witness follows one buyer's calls and notes every broken promise. Give Saw to acp.New as an observer.
// It is safe for concurrent use, but calls are judged in the order in which they end.
type Witness struct {
	mu         sync.Mutex
	currency   string
	discount   *decimal.Decimal // most discount in percent; nil before the manifest is known
	lines      map[lineKey]*line
	quotes     map[string]*line
	listOnly   map[string]bool // products that are not negotiable
	answers    map[string]int  // quote answers by session
	checkouts  map[string]*checkout
	orders     map[string]decimal.Decimal // totals by order
	redeemed   map[string]string          // order by checkout token
	agreements []*agreement
	breaches   []Breach
}

// lineKey is what is negotiated about: another quantity is another negotiation.
type lineKey struct {
	session, product, variant string
	quantity                  int
}

// line is what the buyer learned about one negotiation.
type line struct {
	key       lineKey
	list      *decimal.Decimal
	counter   *decimal.Decimal
	until     time.Time        // the counter is a commitment so long
	hint      *decimal.Decimal // the first one
	unchecked []func()         // judged once the list price is known
}

// agreement is an accepted quote; the cart has to show it until it is bought.
type agreement struct {
	line   *line
	price  decimal.Decimal
	token  string
	bundle bool
	bought bool
}

// checkout is what an init promised.
type checkout struct {
	request  acp.InitRequest
	answer   acp.Checkout
	order    string
	declines int
}

// NewWitness starts with what the manifest promises. The zero Manifest will do: one seen later counts from then on.
func NewWitness(manifest acp.Manifest) *Witness {
	w := &Witness{
		lines:     map[lineKey]*line{},
		quotes:    map[string]*line{},
		listOnly:  map[string]bool{},
		answers:   map[string]int{},
		checkouts: map[string]*checkout{},
		orders:    map[string]decimal.Decimal{},
		redeemed:  map[string]string{},
	}
	w.learnManifest(manifest)
	return w
}

// Breaches is what was noted so far.
func (w *Witness) Breaches() []Breach {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Breach(nil), w.breaches...)
}

// Saw judges one call.
func (w *Witness) Saw(call acp.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.checkSecrets(call)
	if call.Err != nil {
		return
	}
	switch answer := call.Response.(type) {
	case acp.Manifest:
		w.learnManifest(answer)
	case acp.Product:
		w.listOnly[answer.ProductID] = !answer.Negotiable
	case acp.Quote:
		w.checkQuote(call.Request.(acp.QuoteRequest), answer, call.At)
	case acp.Session:
		w.checkSession(answer)
	case acp.Extended:
		w.require(answer.NewExpiresAt.After(call.At), "an extended session ends later", "it ends at %s", answer.NewExpiresAt)
	case acp.Cart:
		switch request := call.Request.(type) {
		case acp.CartRequest:
			w.checkShownCart(answer, append([]acp.CartItem{}, request.Items...))
		case acp.EmptyCart:
			w.checkShownCart(answer, []acp.CartItem{})
		default:
			w.checkShownCart(answer, nil)
		}
	case acp.Checkout:
		switch request := call.Request.(type) {
		case acp.InitRequest:
			w.checkInit(request, answer, call.At)
		case acp.ReviseRequest:
			w.checkRevised(request, answer, call.At)
		}
	case acp.Finalized:
		w.checkFinalize(call.Request.(acp.FinalizeRequest), answer)
	case acp.OrderRecord:
		w.checkOrder(answer)
	}
}

func (w *Witness) learnManifest(manifest acp.Manifest) {
	if manifest.ACPVersion == "" {
		return
	}
	w.currency = manifest.Currency()
	limit := manifest.Policies.MaxDiscountPercent
	if !manifest.Policies.NegotiationEnabled {
		limit = decimal.Decimal{}
	}
	w.discount = &limit
}

// require notes a breach of the rule unless it holds.
func (w *Witness) require(holds bool, rule, format string, args ...any) {
	if !holds {
		w.breaches = append(w.breaches, Breach{Rule: rule, Detail: fmt.Sprintf(format, args...)})
	}
}

// lowest is the least that a product may sell at: list × (1 − max_discount_percent/100), rounded up to the minor unit
// (decisions 9). Before the manifest is known it is zero.
func (w *Witness) lowest(product string, list decimal.Decimal) decimal.Decimal {
	switch {
	case w.listOnly[product]:
		return list
	case w.discount == nil:
		return decimal.Decimal{}
	}
	return list.Percent(decimal.FromInt(100).Minus(*w.discount), decimal.Places(w.currency))
}

// lineOf is the negotiation that a quote request belongs to. A follow-up may name only its quote.
func (w *Witness) lineOf(request acp.QuoteRequest, answer acp.Quote) *line {
	if known, ok := w.quotes[request.QuoteID]; ok && request.QuoteID != "" {
		return known
	}
	session := request.SessionID
	if session == "" {
		session = answer.SessionID
	}
	return w.line(lineKey{session, request.ProductID, request.VariantID, max(1, request.Quantity)})
}

func (w *Witness) line(key lineKey) *line {
	if w.lines[key] == nil {
		w.lines[key] = &line{key: key}
	}
	return w.lines[key]
}

// whenListed runs a check now, or as soon as the list price of the line is known.
func (l *line) whenListed(check func()) {
	if l.list != nil {
		check()
		return
	}
	l.unchecked = append(l.unchecked, check)
}

func (l *line) learnList(list decimal.Decimal) {
	l.list = &list
	for _, check := range l.unchecked {
		check()
	}
	l.unchecked = nil
}
