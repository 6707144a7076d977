package features

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
)

// rateProbe is the result of sending requests until one was refused.
type rateProbe struct {
	send     func() error // sends one more request
	answered int
	took     time.Duration
	last     time.Time // when the refused request was sent
}

// maxRequests is far more than any rate limit of these scenarios allows in the time that the requests take.
const maxRequests = 2000

func fromAddress(address string) http.Header {
	if address == "" {
		return http.Header{}
	}
	return http.Header{"X-Forwarded-For": {address}}
}

// limitsContext sends requests until a rate limit refuses them.
type limitsContext struct{ *scenario }

// useStrictServer makes an account of the merchant's own on the server with rate limits.
func (c *limitsContext) useStrictServer() error {
	c.useServer(c.server.strict)
	return c.keys.createsAccount()
}

// useServerWithoutProxy makes an account of the merchant's own on a new server that trusts no proxy.
func (c *limitsContext) useServerWithoutProxy() error {
	c.useServer(boottest.Start(c.tb, c.server.engine.URL(c.tb)))
	return c.keys.createsAccount()
}

// isManagedFrom lets the merchant, who sends from an address, admit only that address to the Management API.
func (c *limitsContext) isManagedFrom(address string) error {
	body := fmt.Sprintf(`{"security": {"ip_allowlist": [%q]}}`, address)
	return c.send("PATCH", c.shops.shopPath()+"/settings", body, fromAddress(address))
}

// asMerchant, asAnonymous and asBuyer return functions that send a cheap request.
func (c *limitsContext) asMerchant(from string) func() error {
	return func() error { return c.send("GET", "/v1/account", "", fromAddress(from)) }
}

// asAnonymous sends no key. It treats 401 as an answer, not as a refusal.
func (c *limitsContext) asAnonymous(from string) func() error {
	client := c.merchant.As("")
	return func() error {
		err := c.sendBy(client, "GET", "/v1/account", "", fromAddress(from))
		if r := refusalOf(err); r != nil && r.status == http.StatusUnauthorized {
			return nil
		}
		return err
	}
}

func (c *limitsContext) asBuyer(from, slug string) func() error {
	client := c.buyerClient(slug)
	return func() error {
		response, err := client.Do(c.ctx, "GET", "/acp/products/prod_unknown", fromAddress(from), nil)
		if err == nil && response.Status != http.StatusNotFound {
			err = acp.ErrorOf(response)
		}
		return err
	}
}

// askUntilRefused sends requests until one is refused. It keeps that refusal for a Then step.
func (c *limitsContext) askUntilRefused(send func() error) error {
	began := time.Now()
	c.keys.probe = rateProbe{send: send}
	return c.attempt(func() error {
		for range maxRequests {
			c.keys.probe.last = time.Now()
			err := send()
			c.keys.probe.took = time.Since(began)
			if err != nil {
				return err
			}
			c.keys.probe.answered++
		}
		return nil
	})
}

// answeredBeforeRefusal checks the burst. It allows one more request for each period (each, in milliseconds) that passed
// meanwhile.
func (c *limitsContext) answeredBeforeRefusal(burst int, each string) error {
	period := time.Second
	if ms, err := strconv.Atoi(each); err == nil {
		period = time.Duration(ms) * time.Millisecond
	}
	meanwhile := int(c.keys.probe.took / period)
	if n := c.keys.probe.answered; n < burst || n > burst+meanwhile+1 {
		return fmt.Errorf("it was answered %d times in %s", n, c.keys.probe.took)
	}
	return nil
}

// answeredAfterRetryAfter waits as long as Retry-After says and sends a request. It also checks that header and body agree.
func (c *limitsContext) answeredAfterRetryAfter() error {
	last := c.recorder.last()
	seconds, err := strconv.Atoi(last.header.Get("Retry-After"))
	if err != nil || seconds < 1 || seconds > 2 {
		return fmt.Errorf("Retry-After is %q", last.header.Get("Retry-After"))
	}
	if inBody, ok := valueAt(last.value(), "retry_after"); last.toBuyer && (!ok || fmt.Sprint(inBody) != strconv.Itoa(seconds)) {
		return fmt.Errorf("the body says %v, the header %d", inBody, seconds)
	}
	time.Sleep(time.Duration(seconds) * time.Second)
	return c.keys.probe.send()
}

func (c *limitsContext) refusedWithAnotherKey() error {
	key, err := c.keys.keyNamed("Other")
	if err != nil {
		return err
	}
	return c.staysRefused(func() error { return c.sendBy(c.merchant.As(key.Secret), "GET", "/v1/account", "", nil) })
}

// staysRefused sends requests until one is refused again. The limiter may allow one for each second since the first refusal.
func (c *limitsContext) staysRefused(ask func() error) error {
	for n := range maxRequests {
		if err := ask(); err != nil {
			return wantRefusal(err, http.StatusTooManyRequests, "rate_limited")
		}
		if since := time.Since(c.keys.probe.last); n > int(since/time.Second) {
			return fmt.Errorf("it was answered %d times in the %s after it was refused", n+1, since)
		}
	}
	return errors.New("it is refused no more")
}

func (c *limitsContext) anotherMerchantIsAnswered() error {
	mine := c.merchant
	defer func() { c.merchant = mine }()
	if err := c.keys.createsAccount(); err != nil {
		return err
	}
	return c.asMerchant("")()
}

func (c *limitsContext) anonymousNeedsKey(from string) error {
	err := c.sendBy(c.merchant.As(""), "GET", "/v1/account", "", fromAddress(from))
	return wantRefusal(err, http.StatusUnauthorized, "unauthenticated")
}

func (c *limitsContext) buyerReadsProduct(from string, times int) error {
	send := c.asBuyer(from, c.shop.Slug)
	for range times {
		if err := send(); err != nil {
			return err
		}
	}
	return nil
}

func (c *limitsContext) buyerOutcomeIs(how, from, slug string) error {
	ask := c.asBuyer(from, slug)
	if how == "answered" {
		return ask()
	}
	return c.staysRefused(ask)
}
