// Package shipstation connects accounts with ShipStation: it reads what was shipped, hears of it by webhook,
// and buys labels. An account with a key and a secret speaks API V1, one with a key alone API V2 (v2.go).
//
// Of API V1: times without a zone are Pacific time there. Amounts have no currency there: they are US dollars here,
// which is what accounts in the United States are billed in. The label of an order is found again by the
// order's key, which is our order's id; a test label is one of another order there, so that nobody takes it
// for the real one.
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

// DefaultURL is ShipStation's own.
const DefaultURL = "https://ssapi.shipstation.com"

// currency that prices are taken for.
const currency = "USD"

// Config of the connector.
type Config struct {
	URL    string       // prefix of every path; "": ShipStation's own
	Client *http.Client // nil: the usual one
	Clock  ports.Clock
}

// Connector speaks with ShipStation.
type Connector struct {
	platform *connectors.Platform
	base     *url.URL // without a slash at its end
	pacific  *time.Location
	clock    ports.Clock
	modern   *modern
}

var (
	_ ports.Connector       = (*Connector)(nil)
	_ ports.CalledConnector = (*Connector)(nil)
	_ ports.Shipper         = (*Connector)(nil)
)

// New makes a connector. It panics on an address that is none, and where no time zones are known: neither
// passes by itself.
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
		modern:   newModern(c.URL, platform, c.Clock),
	}
}

// request is one that an account makes.
type request struct {
	method string // "": GET, or POST with a body
	path   string
	query  url.Values
	body   any
}

func (s *Connector) ask(ctx context.Context, c ports.Connection, r request, into any) error {
	account, sent := s.as(c, r)
	return account.Ask(ctx, sent, into)
}

// missing asks for what may not be there, and reports whether it is not.
func (s *Connector) missing(ctx context.Context, c ports.Connection, r request, into any) (bool, error) {
	account, sent := s.as(c, r)
	return missing(ctx, account, sent, into)
}

func missing(ctx context.Context, account *connectors.Platform, sent connectors.Request, into any) (bool, error) {
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

func (s *Connector) as(c ports.Connection, r request) (*connectors.Platform, connectors.Request) {
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

// errException is in what ShipStation answers with 500, also where it is the request that is wrong: a service
// that the carrier does not have, an address that is none. Whether it is of use to ask again nobody can tell
// from that alone.
var errException = errors.New("shipstation: an exception")

// judge reads the seconds until the next minute of ShipStation's limit, and its reasons.
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

// refusal takes an exception for a refusal, where it has changed nothing.
func refusal(err error) error {
	var failure *ports.PlatformFailure
	if errors.Is(err, errException) && errors.As(err, &failure) {
		return &ports.PlatformRefusal{Reason: failure.Reason}
	}
	return err
}

func reason(body []byte) string {
	var told struct {
		Message   string
		Exception string `json:"ExceptionMessage"`
	}
	_ = json.Unmarshal(body, &told) // the status says enough
	return cmp.Or(told.Exception, told.Message)
}

// Inspect names the account by its first store, which is the same for every key of the account. An account
// without any is named by a part of its key's SHA-256, from which nobody finds the key.
func (s *Connector) Inspect(ctx ports.Outbound, c ports.Connection) (integration.Config, error) {
	if speaksV2(c) {
		return s.modern.inspect(ctx, c)
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

// instant reads a time: with a zone, or of the Pacific coast. Zero: it is none.
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

// sum adds prices to cents, exactly, "" where the platform did not say.
func sum(prices ...json.Number) string {
	total, told := new(big.Rat), false
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
		told = true
	}
	if !told {
		return ""
	}
	return total.FloatString(2)
}
