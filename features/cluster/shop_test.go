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

// decided is the maximum time until a payment is decided.
const decided = 2 * time.Minute

// stock is more than buyers buy.
const stock = 100_000

// client waits long enough for a server that loses its database during a request, which returns an error within 25 s.
var client = &http.Client{Timeout: 40 * time.Second, Transport: &http.Transport{
	MaxIdleConnsPerHost: 64,
	IdleConnTimeout:     30 * time.Second, // servers close idle connections after 60 s, perhaps while a request is in transit
}}

// shop is a project with one product, whose buyers pay through a provider with its own ledger.
type shop struct {
	program
	slug, project, product string

	stop   atomic.Bool
	buyers sync.WaitGroup

	mu       sync.Mutex
	orders   map[string]time.Time // orders that buyers were given, and when
	broken   []string
	refusals map[string]int // error responses by status and code
	before   int            // number of orders when the current fault began
	failures []failure      // the failed requests in refusals, up to mostFailures
	kills    bool           // servers are killed, so a request may get no response
}

// failure is a failed request, or a sequence of them.
type failure struct {
	began, ended time.Time
	what         string
}

// mostFailures limits how many failures are stored.
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

// servedBy returns the shop, created on the first call, with other servers on the same database.
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

// open starts buyers, each of whom makes one purchase after the other.
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

// close waits until all started purchases are decided.
func (s *shop) close() {
	s.stop.Store(true)
	s.buyers.Wait()
}

// places is the number of buyers' addresses. Servers store 65,536 addresses for rate limits: with a new address for each buyer,
// memory grew by 2 MB in an hour.
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

// pause is how long a buyer waits after a refusal.
const pause = 50 * time.Millisecond

// buy makes one purchase at a server and retries the payment until it is decided, at alternating servers. A failure before the
// payment costs nobody money.
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

// again reports whether a client may retry a finalize after the error.
func again(err error) bool {
	var problem *acp.Error
	if !errors.As(err, &problem) {
		return acp.CodeOf(err) == "" // no response
	}
	return problem.HTTPStatus >= 500 || problem.Code == "checkout_processing"
}

// haggle searches, makes an offer and opens a checkout at the agreed price.
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

// token returns a token that the payment provider charges once.
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

// refused counts a failed request that began at a given time. A server without its database must return 503 with Retry-After.
func (s *shop) refused(began time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed(began, err.Error())
	var problem *acp.Error
	if !errors.As(err, &problem) {
		s.refusals["no answer"]++
		if !s.kills {
			s.broken = append(s.broken, "a request had no answer: "+err.Error())
		}
		return
	}
	s.refusals[fmt.Sprint(problem.HTTPStatus, " ", problem.Code)]++
	if problem.HTTPStatus >= 500 && (problem.HTTPStatus != http.StatusServiceUnavailable || problem.RetryAfter == 0) {
		s.broken = append(s.broken, fmt.Sprintf("refused with %d %s, retry_after %d: %s", problem.HTTPStatus, problem.Code, problem.RetryAfter, problem.Message))
	}
}

// failed stores a failure. The caller holds mu.
func (s *shop) failed(began time.Time, what string) {
	if len(s.failures) < mostFailures {
		s.failures = append(s.failures, failure{began, time.Now(), what})
	}
}

// paid returns how many orders buyers were given.
func (s *shop) paid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.orders)
}

// firstSince returns when a buyer was first given an order after a moment, or the zero time.
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

// reset starts the counts for another fault.
func (s *shop) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.broken, s.refusals = len(s.orders), nil, map[string]int{}
}

// fresh returns how many orders buyers were given since reset.
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
