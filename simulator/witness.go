package simulator

import (
	"fmt"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// Breach is a rule that the merchant broke.
type Breach struct {
	Rule   string // fixed text, so that breaches can be counted
	Detail string
}

// String returns the breach on one line.
func (b Breach) String() string { return b.Rule + ": " + b.Detail }

// Witness follows one buyer's calls and records every broken rule. Pass Saw to acp.New as an observer. It is safe for
// concurrent use, but checks calls in the order in which they end.
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

// lineKey identifies a negotiation. Another quantity is another negotiation.
type lineKey struct {
	session, product, variant string
	quantity                  int
}

// line is what the buyer knows of one negotiation.
type line struct {
	key       lineKey
	list      *decimal.Decimal
	counter   *decimal.Decimal
	until     time.Time        // the merchant is bound to the counter until then
	hint      *decimal.Decimal // the first one
	unchecked []func()         // checks that wait for the list price
}

// agreement is an accepted quote. The cart must show it until it is bought.
type agreement struct {
	line   *line
	price  decimal.Decimal
	token  string
	bundle bool
	bought bool
}

// checkout is what init returned.
type checkout struct {
	request  acp.InitRequest
	answer   acp.Checkout
	order    string
	declines int
}

// NewWitness returns a witness that checks calls against the manifest. The zero Manifest will do if the buyer reads one:
// it replaces the first.
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

// Breaches returns the breaches so far.
func (w *Witness) Breaches() []Breach {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Breach(nil), w.breaches...)
}

// Saw checks one call.
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

// require records a breach of the rule unless holds is true.
func (w *Witness) require(holds bool, rule, format string, args ...any) {
	if !holds {
		w.breaches = append(w.breaches, Breach{Rule: rule, Detail: fmt.Sprintf(format, args...)})
	}
}

// lowest returns the lowest price that the discount limit allows: list × (1 − max_discount_percent/100), rounded up to
// the minor unit (features/PROTOCOL.md#negotiation). It is zero while the manifest is not known.
func (w *Witness) lowest(product string, list decimal.Decimal) decimal.Decimal {
	switch {
	case w.listOnly[product]:
		return list
	case w.discount == nil:
		return decimal.Decimal{}
	}
	return list.Percent(decimal.FromInt(100).Minus(*w.discount), decimal.Places(w.currency))
}

// lineOf returns the negotiation that a quote request belongs to. A follow-up may name only its quote.
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

// whenListed runs a check now, or once the list price of the line is known.
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
