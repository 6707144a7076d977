// Package woocommerce connects a WooCommerce shop with its REST API v3, with a consumer key and secret. It reads products
// with their variations, stock, customers and orders, receives signed webhooks, and writes orders.
//
// Sources: developer.woocommerce.com/docs/apis/rest-api (authentication, pagination, errors) and …/rest-api/v3/{products,
// product-variations,orders,customers,data,webhooks}, read in November 2026.
//
// It is not documented whether a product counts as modified when one of its variations was. Therefore every sync reads all
// products with variations. It also reads all customers, because the API cannot search them by the time of modification.
package woocommerce

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// apiPath is the path of the API in a shop.
const apiPath = "/wp-json/wc/v3"

// maxPageSize is the API's limit.
const maxPageSize = 100

// Config holds the settings and dependencies of a Connector.
type Config struct {
	Client *http.Client // for addresses that merchants enter; nil: http.DefaultClient
	Clock  ports.Clock
	// RepeatAfter is how long a shop may continue to process a request whose answer was lost. 0: 40 seconds, twice the time
	// limit of a request, and more than PHP's default max_execution_time.
	RepeatAfter time.Duration
}

// Connector connects WooCommerce shops.
type Connector struct {
	platform    *connectors.Platform
	clock       ports.Clock
	repeatAfter time.Duration
}

var (
	_ ports.Connector       = (*Connector)(nil)
	_ ports.CalledConnector = (*Connector)(nil)
)

// New returns a connector for any shop. The connection says which one.
func New(c Config) *Connector {
	return &Connector{connectors.New("WooCommerce", c.Client, c.Clock), c.Clock, cmp.Or(c.RepeatAfter, repeatAfter)}
}

func request(c ports.Connection, path string, query url.Values) connectors.Request {
	address := strings.TrimRight(c.BaseURL, "/") + apiPath + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return connectors.Request{URL: address, Header: map[string]string{"Authorization": "Basic " + basic(c)}}
}

func basic(c ports.Connection) string {
	return base64.StdEncoding.EncodeToString([]byte(c.Credentials.Key + ":" + c.Credentials.Secret))
}

// forAccount returns the client for the requests of one account. Its refusals have the shop's reason.
func (s *Connector) forAccount(c ports.Connection) *connectors.Platform {
	return s.platform.Judging(func(a connectors.Answer) error {
		var problem struct{ Code, Message string }
		switch {
		case json.Unmarshal(a.Body, &problem) != nil:
			return nil
		case problem.Code == "woocommerce_rest_cannot_create_order_refund": // has the status 500
		case a.Status != http.StatusBadRequest && a.Status != http.StatusNotFound:
			return nil
		case problem.Code == "rest_no_route":
			return s.platform.Refused("has no REST API v3 at this address: give the shop's address, and turn its permalinks on")
		}
		why := connectors.Plain(problem.Message, c.Credentials.Key, c.Credentials.Secret, basic(c))
		if why == "" {
			return nil
		}
		return s.platform.Refused("refused the request: " + why)
	})
}

// Inspect reads the shop's currency, which shows that the key can read. It identifies the account by the shop's address.
func (s *Connector) Inspect(ctx ports.Outbound, c ports.Connection) (integration.Config, error) {
	var currency struct {
		Code string `json:"code"`
	}
	if err := s.forAccount(c).Ask(ctx, request(c, "/data/currencies/current", nil), &currency); err != nil {
		return integration.Config{}, err
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || currency.Code == "" {
		return integration.Config{}, s.platform.Failed("does not say which currency its prices are in", nil)
	}
	writes, err := s.mayWrite(ctx, c)
	if err != nil {
		return integration.Config{}, err
	}
	return integration.Config{
		MayWriteOrders: writes,

		Account:  strings.ToLower(u.Host) + strings.TrimRight(u.Path, "/"),
		BaseURL:  c.BaseURL,
		Currency: strings.ToUpper(currency.Code),
	}, nil
}

// mayWrite reports whether the key may write orders. The API does not show a key's permission, so mayWrite sends an empty batch, which
// changes nothing: "create", "update" and "delete" are optional (WC_REST_Controller::batch_items, read on 2026-11-29). The API refuses
// a read-only key with 401.
func (s *Connector) mayWrite(ctx context.Context, c ports.Connection) (bool, error) {
	account, r := s.forAccount(c), request(c, "/orders/batch", nil)
	r.JSON = map[string]any{}
	a, err := account.Send(ctx, r)
	switch {
	case err != nil:
		return false, err
	case a.Status == http.StatusTooManyRequests || a.Status >= 500:
		return false, account.Judge(a)
	}
	return a.Status/100 == 2, nil
}

// page is a page of a list.
type page struct {
	list  []json.RawMessage
	more  bool
	total syncrun.Total // of all pages
}

// page reads a page. X-WP-TotalPages says whether there are more, and X-WP-Total is the total ("the total number of records in the
// collection", https://developer.wordpress.org/rest-api/using-the-rest-api/pagination/, 2024-01-16). If a proxy has removed these
// headers, the last page is the first one that is not full.
func (s *Connector) page(ctx context.Context, c ports.Connection, path string, query url.Values, number, size int) (page, error) {
	query.Set("page", strconv.Itoa(number))
	query.Set("per_page", strconv.Itoa(size))
	account := s.forAccount(c)
	answer, err := account.Send(ctx, request(c, path, query))
	if err == nil {
		err = account.Judge(answer)
	}
	var p page
	if err == nil {
		err = account.Decode(answer.Body, &p.list)
	}
	switch {
	case err != nil:
		return page{}, err
	case p.list == nil:
		return page{}, s.platform.Failed("sent a page that is no list", nil)
	case len(p.list) > size:
		return page{}, s.platform.Failed("sent more on one page than it was asked for", nil)
	}
	p.total.Count, _ = strconv.Atoi(answer.Header.Get("X-WP-Total")) // a proxy may have removed it
	pages, err := strconv.Atoi(answer.Header.Get("X-WP-TotalPages"))
	p.more = len(p.list) > 0 && (err == nil && number < pages || err != nil && len(p.list) == size)
	return p, nil
}
