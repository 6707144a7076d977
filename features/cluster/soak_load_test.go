package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// assortment is the number of products besides the one that is bought.
const assortment = 300

// merchantEvery is the interval of the merchant's requests.
const merchantEvery = 500 * time.Millisecond

var kinds = []string{"tent", "stove", "rope", "compass", "kettle", "blanket"}

// fill adds products, so that the search index is not empty.
func (s *shop) fill() error {
	var products []merchant.Product
	for n := range assortment {
		kind := kinds[n%len(kinds)]
		products = append(products, merchant.Product{
			Name:        fmt.Sprintf("Trail %s %d", kind, n),
			SKU:         fmt.Sprintf("TRAIL-%d", n),
			Price:       decimal.MustParse("25"),
			Category:    "outdoor/" + kind,
			Description: fmt.Sprintf("A light %s for long walks, model %d.", kind, n),
		})
	}
	results, err := s.management().BatchProducts(context.Background(), products)
	if err == nil && (len(results) != assortment || slices.ContainsFunc(results, func(r merchant.BatchResult) bool { return r.Status != "created" })) {
		err = fmt.Errorf("the batch of products answered %+v", results)
	}
	return err
}

// pace starts a merchant and a number of buyers, who begin perSecond purchases per second as long as they keep up.
func (s *shop) pace(buyers int, perSecond float64) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	purchases := time.NewTicker(time.Duration(float64(time.Second) / perSecond))
	for n := range buyers {
		s.buyers.Go(func() {
			for k := n; ; k++ {
				select {
				case <-ctx.Done():
					return
				case <-purchases.C:
					s.browse(k)
					s.buy(k)
				}
			}
		})
	}
	s.buyers.Go(func() { s.manage(ctx) })
	return func() {
		cancel()
		purchases.Stop()
		s.buyers.Wait()
	}
}

// browse makes a new search and opens a result.
func (s *shop) browse(n int) {
	began, c := time.Now(), s.client(n)
	found, err := c.Search(context.Background(), acp.SearchRequest{Query: fmt.Sprintf("light %s for %d people", kinds[n%len(kinds)], addresses.Load())})
	if err == nil && len(found.Results) == 0 {
		err = errors.New("a search for a light product found none")
	}
	if err == nil {
		_, err = c.Product(context.Background(), acp.ProductRequest{ProductID: found.Results[0].ProductID})
	}
	if err != nil {
		s.refused(began, err)
	}
}

// merchantClient is a merchant's client of one replica.
type merchantClient struct {
	*merchant.Client
	orders []merchant.Order // the last list
}

// duties are a merchant's requests, in turn.
var duties = []struct {
	name string
	do   func(context.Context, *merchantClient, int) error
}{
	{"GET /v1/orders", func(ctx context.Context, o *merchantClient, _ int) error {
		list, err := o.Orders(ctx, merchant.OrderQuery{Page: merchant.Page{Limit: 20}})
		o.orders = list.Data
		return err
	}},
	{"GET /v1/orders/{id}", func(ctx context.Context, o *merchantClient, n int) error {
		return o.withOrder(n, func(order merchant.Order) error { _, err := o.Order(ctx, order.ID); return err })
	}},
	{"GET /v1/analytics/summary", analytics("summary")},
	{"POST refund", refundPart},
	{"GET /v1/analytics/sales", analytics("sales")},
	{"PATCH product", func(ctx context.Context, o *merchantClient, n int) error {
		list, err := o.Products(ctx, merchant.ProductQuery{Text: kinds[n%len(kinds)], Page: merchant.Page{Limit: 5}})
		if err == nil && len(list.Data) > 0 {
			_, err = o.PatchProduct(ctx, list.Data[n%len(list.Data)].ID, merchant.Patch{"description": fmt.Sprintf("Changed, version %d.", n)})
		}
		return err
	}},
	{"GET /v1/analytics/negotiations", analytics("negotiations")},
	{"GET /v1/negotiations", get("/v1/negotiations?limit=20")},
	{"GET /v1/finance/payments", func(ctx context.Context, o *merchantClient, _ int) error {
		_, err := o.Payments(ctx, merchant.FinanceQuery{Page: merchant.Page{Limit: 20}})
		return err
	}},
	{"POST fulfillment", func(ctx context.Context, o *merchantClient, n int) error {
		return o.withOrder(n, func(order merchant.Order) error {
			if order.Fulfillment.Status == "shipped" {
				return nil
			}
			_, err := o.Fulfill(ctx, order.ID, merchant.Shipping{
				Status:         "shipped",
				Carrier:        "post",
				TrackingNumber: fmt.Sprint("T", n),
			})
			if merchant.CodeOf(err) == "conflict" {
				return nil // the same call succeeded before, but its response was lost
			}
			return err
		})
	}},
	{"GET /v1/finance/transactions", func(ctx context.Context, o *merchantClient, _ int) error {
		_, err := o.Transactions(ctx, merchant.FinanceQuery{Page: merchant.Page{Limit: 20}})
		return err
	}},
	{"GET /v1/events", func(ctx context.Context, o *merchantClient, _ int) error {
		_, err := o.Events(ctx, "", merchant.Page{Limit: 20})
		return err
	}},
	{"GET /v1/finance/wallets", func(ctx context.Context, o *merchantClient, _ int) error { _, err := o.Wallets(ctx); return err }},
}

// withOrder does something with an order of the last list.
func (o *merchantClient) withOrder(n int, do func(merchant.Order) error) error {
	if len(o.orders) == 0 {
		return nil
	}
	return do(o.orders[n%len(o.orders)])
}

// refundPart makes a partial refund of a payment without refunds.
func refundPart(ctx context.Context, o *merchantClient, n int) error {
	return o.withOrder(n, func(order merchant.Order) error {
		if order.Payment.Status != "succeeded" {
			return nil
		}
		part := decimal.MustParse("1")
		_, err := o.Refund(ctx, order.Payment.ID, merchant.NewRefund{Amount: &part, Reason: "scratched"}, merchant.IdempotencyKey("refund-"+order.ID))
		return err
	})
}

// analytics returns a request for the analytics of the last day.
func analytics(of string) func(context.Context, *merchantClient, int) error {
	return func(ctx context.Context, o *merchantClient, n int) error {
		now := time.Now().UTC()
		return get("/v1/analytics/"+of+"?from="+now.Add(-24*time.Hour).Format(time.RFC3339)+"&to="+now.Format(time.RFC3339))(ctx, o, n)
	}
}

func get(path string) func(context.Context, *merchantClient, int) error {
	return func(ctx context.Context, o *merchantClient, _ int) error {
		response, err := o.Do(ctx, http.MethodGet, path, nil, nil)
		if err == nil && !response.OK() {
			err = merchant.ErrorOf(response)
		}
		return err
	}
}

// manage runs the duties in turn, at alternating replicas.
func (s *shop) manage(ctx context.Context) {
	var merchants []*merchantClient
	for _, server := range s.servers {
		connection := exchange.NewClient(exchange.Config{
			URL:        server.URL,
			HTTP:       client,
			Transcript: exchange.NewTranscript(1),
		})
		merchants = append(merchants, &merchantClient{Client: merchant.New(connection, boottest.Key, s.project)})
	}
	tick := time.NewTicker(merchantEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// The number of duties is odd, so that each duty runs at each replica.
		began, duty := time.Now(), duties[n%len(duties)]
		// A duty that is running when the soak ends is completed.
		err := duty.do(context.WithoutCancel(ctx), merchants[n%len(merchants)], n/len(duties))
		if err != nil {
			s.merchantRefused(began, duty.name, err)
		}
	}
}

// merchantRefused counts a failed request of the merchant.
func (s *shop) merchantRefused(began time.Time, duty string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed(began, "merchant: "+duty+": "+err.Error())
	var problem *merchant.Error
	if !errors.As(err, &problem) {
		s.refusals["no answer to the merchant"]++
		return
	}
	s.refusals[fmt.Sprint(problem.HTTPStatus, " ", problem.Code, " to the merchant")]++
	if problem.HTTPStatus >= 500 && problem.HTTPStatus != http.StatusServiceUnavailable {
		s.broken = append(s.broken, fmt.Sprintf("%s: %v", duty, err))
	}
}
