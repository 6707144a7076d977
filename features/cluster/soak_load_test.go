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

// assortment is how many products the shop has beside the one that is bought.
const assortment = 300

// merchantEvery is how often the merchant asks for something.
const merchantEvery = 500 * time.Millisecond

var kinds = []string{"tent", "stove", "rope", "compass", "kettle", "blanket"}

// fill gives the shop products to find, so that its search index is not empty.
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

// pace lets buyers in, at most so many at once, who begin perSecond purchases a second as long as they keep up, and a merchant.
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

// browse is a search that nobody has made before, and a look at what it found.
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

// office is a merchant at one of the replicas.
type office struct {
	*merchant.Client
	orders []merchant.Order // that were listed last
}

// duties are what a merchant does in turn.
var duties = []struct {
	name string
	do   func(context.Context, *office, int) error
}{
	{"GET /v1/orders", func(ctx context.Context, o *office, _ int) error {
		list, err := o.Orders(ctx, merchant.OrderQuery{Page: merchant.Page{Limit: 20}})
		o.orders = list.Data
		return err
	}},
	{"GET /v1/orders/{id}", func(ctx context.Context, o *office, n int) error {
		return o.about(n, func(order merchant.Order) error { _, err := o.Order(ctx, order.ID); return err })
	}},
	{"GET /v1/analytics/summary", analytics("summary")},
	{"POST refund", refundPart},
	{"GET /v1/analytics/sales", analytics("sales")},
	{"PATCH product", func(ctx context.Context, o *office, n int) error {
		list, err := o.Products(ctx, merchant.ProductQuery{Text: kinds[n%len(kinds)], Page: merchant.Page{Limit: 5}})
		if err == nil && len(list.Data) > 0 {
			_, err = o.PatchProduct(ctx, list.Data[n%len(list.Data)].ID, merchant.Patch{"description": fmt.Sprintf("Changed, version %d.", n)})
		}
		return err
	}},
	{"GET /v1/analytics/negotiations", analytics("negotiations")},
	{"GET /v1/negotiations", get("/v1/negotiations?limit=20")},
	{"GET /v1/finance/payments", func(ctx context.Context, o *office, _ int) error {
		_, err := o.Payments(ctx, merchant.FinanceQuery{Page: merchant.Page{Limit: 20}})
		return err
	}},
	{"POST fulfillment", func(ctx context.Context, o *office, n int) error {
		return o.about(n, func(order merchant.Order) error {
			if order.Fulfillment.Status == "shipped" {
				return nil
			}
			_, err := o.Fulfill(ctx, order.ID, merchant.Shipping{
				Status:         "shipped",
				Carrier:        "post",
				TrackingNumber: fmt.Sprint("T", n),
			})
			if merchant.CodeOf(err) == "conflict" {
				return nil // a call whose answer was lost has done it
			}
			return err
		})
	}},
	{"GET /v1/finance/transactions", func(ctx context.Context, o *office, _ int) error {
		_, err := o.Transactions(ctx, merchant.FinanceQuery{Page: merchant.Page{Limit: 20}})
		return err
	}},
	{"GET /v1/events", func(ctx context.Context, o *office, _ int) error {
		_, err := o.Events(ctx, "", merchant.Page{Limit: 20})
		return err
	}},
	{"GET /v1/finance/wallets", func(ctx context.Context, o *office, _ int) error { _, err := o.Wallets(ctx); return err }},
}

// about does something to an order of the last list.
func (o *office) about(n int, do func(merchant.Order) error) error {
	if len(o.orders) == 0 {
		return nil
	}
	return do(o.orders[n%len(o.orders)])
}

// refundPart gives a part of a payment back that no part was given back of.
func refundPart(ctx context.Context, o *office, n int) error {
	return o.about(n, func(order merchant.Order) error {
		if order.Payment.Status != "succeeded" {
			return nil
		}
		part := decimal.MustParse("1")
		_, err := o.Refund(ctx, order.Payment.ID, merchant.NewRefund{Amount: &part, Reason: "scratched"}, merchant.IdempotencyKey("refund-"+order.ID))
		return err
	})
}

// analytics asks for figures of the last day.
func analytics(of string) func(context.Context, *office, int) error {
	return func(ctx context.Context, o *office, n int) error {
		now := time.Now().UTC()
		return get("/v1/analytics/"+of+"?from="+now.Add(-24*time.Hour).Format(time.RFC3339)+"&to="+now.Format(time.RFC3339))(ctx, o, n)
	}
}

func get(path string) func(context.Context, *office, int) error {
	return func(ctx context.Context, o *office, _ int) error {
		response, err := o.Do(ctx, http.MethodGet, path, nil, nil)
		if err == nil && !response.OK() {
			err = merchant.ErrorOf(response)
		}
		return err
	}
}

// manage does the duties in turn, at one replica and the other.
func (s *shop) manage(ctx context.Context) {
	var offices []*office
	for _, server := range s.servers {
		connection := exchange.NewClient(exchange.Config{
			URL:        server.URL,
			HTTP:       client,
			Transcript: exchange.NewTranscript(1),
		})
		offices = append(offices, &office{Client: merchant.New(connection, boottest.Key, s.project)})
	}
	tick := time.NewTicker(merchantEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// There is an odd number of duties, so that each comes to each replica.
		began, duty := time.Now(), duties[n%len(duties)]
		// What is under way when the soak ends is finished.
		err := duty.do(context.WithoutCancel(ctx), offices[n%len(offices)], n/len(duties))
		if err != nil {
			s.merchantRefused(began, duty.name, err)
		}
	}
}

// merchantRefused counts an answer to a merchant that was no success.
func (s *shop) merchantRefused(began time.Time, duty string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed(began, "merchant: "+duty+": "+err.Error())
	var told *merchant.Error
	if !errors.As(err, &told) {
		s.refusals["no answer to the merchant"]++
		return
	}
	s.refusals[fmt.Sprint(told.HTTPStatus, " ", told.Code, " to the merchant")]++
	if told.HTTPStatus >= 500 && told.HTTPStatus != http.StatusServiceUnavailable {
		s.broken = append(s.broken, fmt.Sprintf("%s: %v", duty, err))
	}
}
