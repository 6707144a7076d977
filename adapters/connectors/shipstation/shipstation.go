// Package shipstation connects ShipStation accounts: it reads shipments, receives webhooks about them, and buys
// and voids labels. It uses API V1 for an account with a key and a secret, and API V2 for one with a key only
// (v2.go).
//
// In API V1, times without a zone are Pacific time. Amounts have no currency; the package assumes US dollars, in
// which accounts in the United States are billed. The label of an order is found by the order's key, which is our
// order's id. A test label belongs to another order in ShipStation, so that it is not mistaken for the real one.
package shipstation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// DefaultURL is the address of ShipStation's API V1.
const DefaultURL = "https://ssapi.shipstation.com"

// currency is the currency of all prices of API V1.
const currency = "USD"

// Config holds the settings and dependencies of a Connector.
type Config struct {
	URL    string       // prefix of every path; "": ShipStation's own
	Client *http.Client // nil: http.DefaultClient
	Clock  ports.Clock
}

// Connector connects ShipStation accounts.
type Connector struct {
	platform *connectors.Platform
	base     *url.URL // without a slash at its end
	pacific  *time.Location
	clock    ports.Clock
	clientV2 *clientV2
}

var (
	_ ports.Connector       = (*Connector)(nil)
	_ ports.CalledConnector = (*Connector)(nil)
	_ ports.Shipper         = (*Connector)(nil)
)

// New returns a connector. It panics if c.URL is invalid or the time zone of the Pacific coast is unknown,
// because neither error is temporary.
func New(c Config) *Connector {
	base, err := url.Parse(strings.TrimRight(cmp.Or(c.URL, DefaultURL), "/"))
	if err != nil || base.Host == "" {
		panic("shipstation: " + c.URL + " is no address")
	}
	pacific, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic("shipstation: " + err.Error())
	}
	platform := connectors.New("ShipStation", c.Client, c.Clock)
	return &Connector{
		platform: platform,
		base:     base,
		pacific:  pacific,
		clock:    c.Clock,
		clientV2: newClientV2(c.URL, platform, c.Clock),
	}
}

// request is a request of an account.
type request struct {
	method string // "": GET, or POST with a body
	path   string
	query  url.Values
	body   any
}

func (s *Connector) ask(ctx context.Context, c ports.Connection, r request, into any) error {
	account, sent := s.forAccount(c, r)
	return account.Ask(ctx, sent, into)
}

// askOptional sends a request for an object that may not exist, and reports whether it is missing.
func (s *Connector) askOptional(ctx context.Context, c ports.Connection, r request, into any) (bool, error) {
	account, sent := s.forAccount(c, r)
	return askOptional(ctx, account, sent, into)
}

func askOptional(ctx context.Context, account *connectors.Platform, sent connectors.Request, into any) (bool, error) {
	answer, err := account.Send(ctx, sent)
	switch {
	case err != nil:
		return false, err
	case answer.Status == http.StatusNotFound:
		return true, nil
	}
	if err := account.Judge(answer); err != nil || into == nil {
		return false, err
	}
	return false, account.Decode(answer.Body, into)
}

func (s *Connector) forAccount(c ports.Connection, r request) (*connectors.Platform, connectors.Request) {
	to := *s.base
	to.Path, to.RawQuery = s.base.Path+r.path, r.query.Encode()
	basic := base64.StdEncoding.EncodeToString([]byte(c.Credentials.Key + ":" + c.Credentials.Secret))
	return s.platform.Judging(s.judge(c, basic)), connectors.Request{
		Method: r.method,
		URL:    to.String(),
		JSON:   r.body,
		Header: map[string]string{"Authorization": "Basic " + basic},
	}
}

// errException is the cause of a PlatformFailure after a status of 500, which ShipStation also sends for an
// invalid request, such as an unknown service or address. The status alone does not show whether a retry can
// succeed.
var errException = errors.New("shipstation: an exception")

// judge reads the rate limit's reset, in seconds, and the reasons of ShipStation's errors.
func (s *Connector) judge(c ports.Connection, basic string) func(connectors.Answer) error {
	return func(a connectors.Answer) error {
		switch {
		case a.Status == http.StatusTooManyRequests && a.Header.Get("Retry-After") == "":
			return connectors.Wait(connectors.RetryAfter(a.Header.Get("X-Rate-Limit-Reset"), s.clock.Now()))
		case a.Status < http.StatusBadRequest || a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden ||
			a.Status == http.StatusRequestTimeout || a.Status == http.StatusTooManyRequests:
			return nil
		}
		why := connectors.Plain(reason(a.Body), c.Credentials.Key, c.Credentials.Secret, basic)
		switch {
		case why == "":
			return nil
		case a.Status >= http.StatusInternalServerError:
			return s.platform.Failed("has a problem: "+strings.TrimRight(why, "."), exception(a.Status, why))
		}
		return s.platform.Refused("refused the request: " + why)
	}
}

func exception(status int, why string) error {
	text := strings.ToLower(why)
	if status != http.StatusInternalServerError || strings.Contains(text, "timeout") || strings.Contains(text, "timed out") {
		return nil
	}
	return errException
}

// refusal turns an exception into a PlatformRefusal, for requests that change nothing.
func refusal(err error) error {
	var failure *ports.PlatformFailure
	if errors.Is(err, errException) && errors.As(err, &failure) {
		return &ports.PlatformRefusal{Reason: failure.Reason}
	}
	return err
}

func reason(body []byte) string {
	var problem struct {
		Message   string
		Exception string `json:"ExceptionMessage"`
	}
	_ = json.Unmarshal(body, &problem) // an unreadable body has no reason
	return cmp.Or(problem.Exception, problem.Message)
}

// Inspect identifies the account by its first store, which is the same for every key of the account. An account
// without stores is identified by a part of its key's SHA-256, which does not reveal the key.
func (s *Connector) Inspect(ctx ports.Outbound, c ports.Connection) (integration.Config, error) {
	if usesV2(c) {
		return s.clientV2.inspect(ctx, c)
	}
	var stores []struct {
		ID int64 `json:"storeId"`
	}
	err := s.ask(ctx, c, request{path: "/stores", query: url.Values{"showInactive": {"true"}}}, &stores)
	if err != nil {
		return integration.Config{}, err
	}
	var ids []int64
	for _, store := range stores {
		if store.ID > 0 {
			ids = append(ids, store.ID)
		}
	}
	sum := sha256.Sum256([]byte("shipstation account " + c.Credentials.Key))
	account := "key-" + hex.EncodeToString(sum[:8])
	if len(ids) > 0 {
		account = "store-" + strconv.FormatInt(slices.Min(ids), 10)
	}
	return integration.Config{Account: account, Live: true}, nil
}

// instant parses a time: with a zone, or in Pacific time. It returns the zero time if text is not one.
func (s *Connector) instant(text string) time.Time {
	if at := connectors.Moment(text); !at.IsZero() {
		return at
	}
	for _, layout := range []string{"2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, s.pacific); err == nil {
			return at.UTC().Truncate(time.Millisecond)
		}
	}
	return time.Time{}
}

// sum returns the exact sum of prices with two decimals, or "" if there are no prices or one is invalid.
func sum(prices ...json.Number) string {
	total, found := new(big.Rat), false
	for _, p := range prices {
		text := p.String()
		if text == "" {
			continue
		}
		price, ok := new(big.Rat).SetString(text)
		if len(text) > 30 || strings.ContainsAny(text, "eE/") || !ok {
			return ""
		}
		total.Add(total, price)
		found = true
	}
	if !found {
		return ""
	}
	return total.FloatString(2)
}
