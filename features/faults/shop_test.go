package faults

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// shop is a project with one product.
type shop struct {
	slug, project, product string
	stock                  int
}

var shops atomic.Int64

var impatient = &http.Client{Timeout: 25 * time.Second, Transport: func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 512, 128
	t.IdleConnTimeout = 30 * time.Second // the server closes idle connections after 60 s
	return t
}()}

// unhurried waits for a busy server's error, which comes within 25 s.
var unhurried = &http.Client{Timeout: 40 * time.Second, Transport: impatient.Transport}

// patient returns how long clients outside of the measured case retry at a busy server.
func patient() *exchange.Patience { return &exchange.Patience{Longest: time.Minute, Busy: true} }

func management(url, project string) *merchant.Client {
	return merchant.New(exchange.NewClient(exchange.Config{
		URL:      url,
		HTTP:     unhurried,
		Patience: patient(),
	}), boottest.Key, project)
}

func openShop(url string, stock int) (shop, error) {
	s := shop{slug: fmt.Sprintf("shop-%d", shops.Add(1)), stock: stock}
	p, err := management(url, "").CreateProject(context.Background(), merchant.NewProject{Name: "Shop", Slug: s.slug})
	if err != nil {
		return s, err
	}
	s.project = p.ID
	product, err := management(url, p.ID).CreateProduct(context.Background(), merchant.Product{
		Name:     "Storm Lantern",
		SKU:      "LANTERN",
		Price:    decimal.MustParse("40"),
		Category: "outdoor/lights",
		Quantity: &stock,
	})
	s.product = product.ID
	return s, err
}

// addUp returns how the shop's stock and statistics differ from a number of orders of one piece each.
func (s shop) addUp(url string, orders int) (violations []string) {
	ctx, m := context.Background(), management(url, s.project)
	levels, err := m.Inventory(ctx, "LANTERN", merchant.Page{})
	if err != nil || len(levels.Data) != 1 || levels.Data[0].Quantity != s.stock-orders {
		violations = append(violations, fmt.Sprintf("stock after %d orders of %d: %+v, %v", orders, s.stock, levels.Data, err))
	}
	p, err := m.Project(ctx, s.project)
	if err != nil || p.Statistics == nil || p.Statistics.Orders30D != orders {
		violations = append(violations, fmt.Sprintf("%+v, %v, want %d orders", p.Statistics, err, orders))
	}
	return violations
}

// sold returns the shop's number of orders according to its statistics, or -1.
func (s shop) sold(url string) int {
	p, err := management(url, s.project).Project(context.Background(), s.project)
	if err != nil || p.Statistics == nil {
		return -1
	}
	return p.Statistics.Orders30D
}

// payer is a buyer who is about to pay.
type payer struct {
	shop     shop
	address  string
	checkout string
	tokens   []string // used one after the other, as each is declined

	transport ucp.Transport // of UCP; "": it speaks Haggle's own protocol
}

var payers atomic.Int64

func (s shop) payer(tokens ...string) *payer {
	n := payers.Add(1)
	return &payer{
		shop:    s,
		address: fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255),
		tokens:  tokens,
	}
}

func (p *payer) at(url string, patience *exchange.Patience) *acp.Client {
	return acp.New(exchange.NewClient(exchange.Config{
		URL:        url,
		HTTP:       impatient,
		Header:     http.Header{"X-Forwarded-For": {p.address}},
		Transcript: exchange.NewTranscript(1),
		Patience:   patience,
	}), p.shop.slug)
}

var home = acp.Address{
	Name:       "A. Buyer",
	Line1:      "1 Main St",
	City:       "Springfield",
	State:      "IL",
	PostalCode: "62701",
	Country:    "US",
}

// haggle agrees on a price and opens a checkout with the token.
func (p *payer) haggle(url string) error {
	if p.transport != "" {
		return p.negotiate(url)
	}
	client, price := p.at(url, patient()), decimal.MustParse("40")
	quote, err := client.Quote(context.Background(), acp.QuoteRequest{
		ProductID:  p.shop.product,
		Quantity:   1,
		OfferPrice: &price,
	})
	if err != nil {
		return err
	}
	return p.open(client, quote.SessionID, acp.InitRequest{
		CheckoutToken: quote.CheckoutToken,
		Items:         []acp.CheckoutItem{{ProductID: p.shop.product, Quantity: 1, NegotiatedPrice: &quote.FinalPrice}},
	})
}

// browse opens a checkout at the list price.
func (p *payer) browse(url string) error {
	client := p.at(url, patient())
	found, err := client.Search(context.Background(), acp.SearchRequest{Query: "lantern"})
	if err != nil {
		return err
	}
	return p.open(client, found.SessionID, acp.InitRequest{Items: []acp.CheckoutItem{{ProductID: p.shop.product, Quantity: 1}}})
}

func (p *payer) open(client *acp.Client, session string, request acp.InitRequest) error {
	request.SessionID, request.ShippingAddress, request.BillingSameAsShipping = session, home, true
	checkout, err := client.InitCheckout(context.Background(), request)
	p.checkout = checkout.CheckoutID
	return err
}

// finalize sends one finalize.
func (p *payer) finalize(ctx context.Context, url, token string) (acp.Finalized, error) {
	if p.transport != "" {
		return p.complete(ctx, url, token)
	}
	return p.at(url, nil).Finalize(ctx, acp.FinalizeRequest{
		CheckoutID: p.checkout,
		BuyerEmail: "buyer@example.com",
		Payment:    acp.Payment{Method: acp.PSPToken, Token: token},
	})
}

// errGaveUp ends a payer after its timeout.
var errGaveUp = errors.New("no decision")

// pay retries finalize until it is decided, at alternating servers, as a client does that misses responses. After a decline it
// uses the next token. It returns the order's id.
func (p *payer) pay(within time.Duration, servers func() []string) (order string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for n, token := 0, 0; ; n++ {
		urls := servers()
		var answer acp.Finalized
		if len(urls) > 0 {
			answer, err = p.finalize(ctx, urls[n%len(urls)], p.tokens[token])
		}
		switch {
		case len(urls) == 0, err != nil && again(err):
		case err != nil:
			return "", err
		case answer.Status == acp.Success:
			return answer.Order.ID, nil
		case token+1 == len(p.tokens):
			return "", fmt.Errorf("declined: %s", answer.Error.DeclineCode)
		default:
			token++
			continue
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("%w within %s, at last: %w", errGaveUp, within, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// again reports whether a client may retry the same request.
func again(err error) bool {
	var problem *acp.Error
	if !errors.As(err, &problem) {
		return true // no response
	}
	return problem.HTTPStatus >= 500 || problem.Code == "checkout_processing" || problem.Code == "too_many_payments"
}

// agree returns the differences between the orders of one checkout's payers.
func agree(orders []string, errs []error) (violations []string) {
	for _, err := range errs {
		if err != nil {
			violations = append(violations, "a finalize was not decided: "+err.Error())
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(orders)))
	if distinct = slices.DeleteFunc(distinct, func(id string) bool { return id == "" }); len(distinct) > 1 {
		violations = append(violations, fmt.Sprintf("one checkout has the orders %v", distinct))
	}
	return violations
}
