package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// decided is how long a buyer asks at most what became of a payment.
const decided = 2 * time.Minute

// stock is more than buyers take.
const stock = 100_000

// client waits for a server that has lost its database in the middle of a request: it says so within 25 s.
var client = &http.Client{Timeout: 40 * time.Second, Transport: &http.Transport{
	MaxIdleConnsPerHost: 64,
	IdleConnTimeout:     30 * time.Second, // the server closes them after 60 s, perhaps while a request is on its way
}}

// shop is a project with one product, whose buyers pay at a provider with books of its own.
type shop struct {
	program
	slug, project, product string

	stop   atomic.Bool
	buyers sync.WaitGroup

	mu       sync.Mutex
	orders   map[string]time.Time // that buyers were told of, and when
	broken   []string
	refusals map[string]int // answers that were no success, by status and code
	before   int            // orders when the current fault began
	failures []failure      // the requests behind refusals, up to mostFailures
	kills    bool           // servers are killed, so that a request may have no answer
}

// failure is a request, or some in a row, that had no success.
type failure struct {
	began, ended time.Time
	what         string
}

// mostFailures bounds what is kept of them.
const mostFailures = 100_000

func (s *shop) management() *merchant.Client {
	patience := &exchange.Patience{Longest: time.Minute, Busy: true}
	return merchant.New(exchange.NewClient(exchange.Config{
		URL:      s.servers[0].URL,
		HTTP:     client,
		Patience: patience,
	}), boottest.Key, s.project)
}

func openShop(p program, slug string) (*shop, error) {
	s := &shop{
		program:  p,
		slug:     slug,
		orders:   map[string]time.Time{},
		refusals: map[string]int{},
	}
	ctx := context.Background()
	project, err := s.management().CreateProject(ctx, merchant.NewProject{Name: "Shop", Slug: slug})
	if err != nil {
		return nil, err
	}
	s.project = project.ID
	plenty := stock
	product, err := s.management().CreateProduct(ctx, merchant.Product{
		Name:     "Storm Lantern",
		SKU:      "LANTERN",
		Price:    decimal.MustParse("40"),
		Category: "outdoor/lights",
		Quantity: &plenty,
	})
	if err != nil {
		return nil, err
	}
	s.product = product.ID
	_, err = s.management().ConnectAPIKey(ctx, merchant.NewIntegration{Type: "stripe", Credentials: merchant.Credentials{Key: "sk_test_" + slug}})
	return s, err
}

// servedBy is the shop, which is opened first, with other servers of the same database.
func (s *shop) servedBy(t *testing.T, p program) *shop {
	t.Helper()
	if s != nil {
		s.program = p
		return s
	}
	s, err := openShop(p, "lanterns")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// open lets buyers in, each of whom makes one purchase after the other.
func (s *shop) open(buyers int) {
	s.stop.Store(false)
	for n := range buyers {
		s.buyers.Go(func() {
			for k := n; !s.stop.Load(); k++ {
				s.buy(k)
			}
		})
	}
}

// close waits until each purchase that has begun is decided.
func (s *shop) close() {
	s.stop.Store(true)
	s.buyers.Wait()
}

// places are the addresses that buyers come from. Servers remember 65,536 when they limit rates: that grew by 2 MB in an hour of
// buyers with an address each.
const places = 1000

var addresses atomic.Int64

func (s *shop) client(server int) *acp.Client {
	n := addresses.Add(1) % places
	header := http.Header{"X-Forwarded-For": {fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)}}
	return acp.New(exchange.NewClient(exchange.Config{
		URL:        s.servers[server%len(s.servers)].URL,
		HTTP:       client,
		Header:     header,
		Transcript: exchange.NewTranscript(1),
	}), s.slug)
}

// pause is how long a buyer waits who was refused.
const pause = 50 * time.Millisecond

// buy is one purchase at a server, whose payment is asked for until it is decided, at one server and the other in turn. What fails before
// the payment is nobody's loss.
func (s *shop) buy(n int) {
	began := time.Now()
	checkout, err := s.haggle(s.client(n))
	if err == nil && checkout == "" {
		err = errors.New("a checkout without an id")
	}
	token := ""
	if err == nil {
		token, err = s.token()
	}
	if err != nil {
		s.refused(began, err)
		time.Sleep(pause)
		return
	}
	began = time.Now()
	for deadline := began.Add(decided); ; n++ {
		answer, err := s.client(n).Finalize(context.Background(), acp.FinalizeRequest{
			CheckoutID: checkout,
			BuyerEmail: "buyer@example.com",
			Payment:    acp.Payment{Method: acp.PSPToken, Token: token},
		})
		if err == nil && answer.Status == acp.Success {
			s.bought(answer.Order.ID)
			return
		}
		if err == nil {
			err = fmt.Errorf("finalize of %s answered %s", checkout, answer.Status)
		}
		s.refused(began, err)
		if !again(err) || time.Now().After(deadline) {
			s.note("checkout %s was not decided: %v", checkout, err)
			return
		}
		time.Sleep(pause)
	}
}

// again reports whether a client may send a finalize again.
func again(err error) bool {
	var told *acp.Error
	if !errors.As(err, &told) {
		return acp.CodeOf(err) == "" // no answer
	}
	return told.HTTPStatus >= 500 || told.Code == "checkout_processing"
}

// haggle searches, makes an offer and opens a checkout at the price that was agreed on.
func (s *shop) haggle(c *acp.Client) (checkout string, err error) {
	ctx := context.Background()
	found, err := c.Search(ctx, acp.SearchRequest{Query: "lantern"})
	if err != nil {
		return "", err
	}
	price := decimal.MustParse("40")
	quote, err := c.Quote(ctx, acp.QuoteRequest{
		SessionID:  found.SessionID,
		ProductID:  s.product,
		Quantity:   1,
		OfferPrice: &price,
	})
	if err != nil {
		return "", err
	}
	opened, err := c.InitCheckout(ctx, acp.InitRequest{
		SessionID:             quote.SessionID,
		CheckoutToken:         quote.CheckoutToken,
		Items:                 []acp.CheckoutItem{{ProductID: s.product, Quantity: 1, NegotiatedPrice: &quote.FinalPrice}},
		ShippingAddress:       home,
		BillingSameAsShipping: true,
	})
	return opened.CheckoutID, err
}

var home = acp.Address{
	Name:       "A. Buyer",
	Line1:      "1 Main St",
	City:       "Springfield",
	State:      "IL",
	PostalCode: "62701",
	Country:    "US",
}

// token is one that the payment provider charges once.
func (s *shop) token() (string, error) {
	body, err := json.Marshal(map[string]any{"kind": "stripe", "script": "ok", "currency": "usd", "max_amount": 100_00})
	if err != nil {
		return "", err
	}
	response, err := client.Post(s.provider.URL+"/lookalike/tokens", "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var granted struct{ ID string }
	err = json.NewDecoder(response.Body).Decode(&granted)
	return granted.ID, err
}

func (s *shop) bought(order string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.orders[order].IsZero() {
		s.broken = append(s.broken, "two checkouts have the order "+order)
	}
	s.orders[order] = time.Now()
}

func (s *shop) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, fmt.Sprintf(format, args...))
}

// refused counts an answer that was no success, to requests that began at a moment. A server whose database is away says 503
// and when to come again.
func (s *shop) refused(began time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed(began, err.Error())
	var told *acp.Error
	if !errors.As(err, &told) {
		s.refusals["no answer"]++
		if !s.kills {
			s.broken = append(s.broken, "a request had no answer: "+err.Error())
		}
		return
	}
	s.refusals[fmt.Sprint(told.HTTPStatus, " ", told.Code)]++
	if told.HTTPStatus >= 500 && (told.HTTPStatus != http.StatusServiceUnavailable || told.RetryAfter == 0) {
		s.broken = append(s.broken, fmt.Sprintf("refused with %d %s, retry_after %d: %s", told.HTTPStatus, told.Code, told.RetryAfter, told.Message))
	}
}

// failed keeps a failure. The caller holds mu.
func (s *shop) failed(began time.Time, what string) {
	if len(s.failures) < mostFailures {
		s.failures = append(s.failures, failure{began, time.Now(), what})
	}
}

// paid is how many orders buyers were told of.
func (s *shop) paid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.orders)
}

// firstSince is when a buyer was first told of an order since a moment; zero: none was.
func (s *shop) firstSince(moment time.Time) (first time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.orders {
		if at.After(moment) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// reset begins to count for another fault.
func (s *shop) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.broken, s.refusals = len(s.orders), nil, map[string]int{}
}

// fresh is how many orders buyers were told of since reset.
func (s *shop) fresh() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.orders) - s.before
}

func (s *shop) refusalsText() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, what := range slices.Sorted(maps.Keys(s.refusals)) {
		all = append(all, fmt.Sprintf("%d of %s", s.refusals[what], what))
	}
	return strings.Join(all, ", ")
}
