// Package woocommerce connects a shop of WooCommerce by its REST API v3, with a consumer key and its secret: products with
// their variations, stock, customers and orders are read, webhooks signed, and orders written.
//
// Sources: developer.woocommerce.com/docs/apis/rest-api (authentication, pagination, errors) and …/rest-api/v3/{products,
// product-variations,orders,customers,data,webhooks}, read in November 2026.
//
// Not documented, and decided here: whether a product counts as modified when one of its variations was, so products with
// variations are read in every sync; and customers cannot be searched by when they were modified, so all are read.
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

// root is the API's path in a shop.
const root = "/wp-json/wc/v3"

// most that a page may have.
const most = 100

// Config is what a connector needs.
type Config struct {
	Client *http.Client // to addresses that merchants name; nil: the usual one
	Clock  ports.Clock
	// RepeatAfter is how long a shop may go on with a request whose answer was lost. 0: 40 seconds, twice the time limit of a
	// request, and more than PHP's default max_execution_time.
	RepeatAfter time.Duration
}

// Connector talks to shops of WooCommerce.
type Connector struct {
	platform    *connectors.Platform
	clock       ports.Clock
	repeatAfter time.Duration
}

var (
	_ ports.Connector       = (*Connector)(nil)
	_ ports.CalledConnector = (*Connector)(nil)
)

// New talks to any shop; which one is each connection's.
func New(c Config) *Connector {
	return &Connector{connectors.New("WooCommerce", c.Client, c.Clock), c.Clock, cmp.Or(c.RepeatAfter, repeatAfter)}
}

func request(c ports.Connection, path string, query url.Values) connectors.Request {
	address := strings.TrimRight(c.BaseURL, "/") + root + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return connectors.Request{URL: address, Header: map[string]string{"Authorization": "Basic " + basic(c)}}
}

func basic(c ports.Connection) string {
	return base64.StdEncoding.EncodeToString([]byte(c.Credentials.Key + ":" + c.Credentials.Secret))
}

// as is the platform as an account sees it: its refusals say why.
func (s *Connector) as(c ports.Connection) *connectors.Platform {
	return s.platform.Judging(func(a connectors.Answer) error {
		var told struct{ Code, Message string }
		switch {
		case json.Unmarshal(a.Body, &told) != nil:
			return nil
		case told.Code == "woocommerce_rest_cannot_create_order_refund": // has the status 500
		case a.Status != http.StatusBadRequest && a.Status != http.StatusNotFound:
			return nil
		case told.Code == "rest_no_route":
			return s.platform.Refused("has no REST API v3 at this address: give the shop's address, and turn its permalinks on")
		}
		why := connectors.Plain(told.Message, c.Credentials.Key, c.Credentials.Secret, basic(c))
		if why == "" {
			return nil
		}
		return s.platform.Refused("refused the request: " + why)
	})
}

// Inspect asks for the shop's currency, which shows that the key may read. The account is the shop's address.
func (s *Connector) Inspect(ctx ports.Outbound, c ports.Connection) (integration.Config, error) {
	var currency struct {
		Code string `json:"code"`
	}
	if err := s.as(c).Ask(ctx, request(c, "/data/currencies/current", nil), &currency); err != nil {
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

// mayWrite reports whether the key may write orders. Nothing tells a key's permission, so an empty batch is sent, which changes
// nothing: "create", "update" and "delete" are optional (WC_REST_Controller::batch_items, read on 2026-11-29). A key that may read only
// is refused with 401.
func (s *Connector) mayWrite(ctx context.Context, c ports.Connection) (bool, error) {
	account, r := s.as(c), request(c, "/orders/batch", nil)
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

// page is one of a list.
type page struct {
	list  []json.RawMessage
	more  bool
	total syncrun.Total // of all pages
}

// page reads one, by X-WP-TotalPages, and tells the total of X-WP-Total ("the total number of records in the collection",
// https://developer.wordpress.org/rest-api/using-the-rest-api/pagination/, 2024-01-16); where a proxy takes that away, a page that is not full is the last one.
func (s *Connector) page(ctx context.Context, c ports.Connection, path string, query url.Values, number, size int) (page, error) {
	query.Set("page", strconv.Itoa(number))
	query.Set("per_page", strconv.Itoa(size))
	account := s.as(c)
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
	p.total.Count, _ = strconv.Atoi(answer.Header.Get("X-WP-Total")) // a proxy may have taken it away
	pages, err := strconv.Atoi(answer.Header.Get("X-WP-TotalPages"))
	p.more = len(p.list) > 0 && (err == nil && number < pages || err != nil && len(p.list) == size)
	return p, nil
}
