package features

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

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

// asMerchant, asAnonymous and asBuyer return functions that send a cheap request.
func (w *world) asMerchant(from string) func() error {
	return func() error { return w.send("GET", "/v1/account", "", fromAddress(from)) }
}

// asAnonymous sends no key. It treats 401 as an answer, not as a refusal.
func (w *world) asAnonymous(from string) func() error {
	client := w.merchant.As("")
	return func() error {
		err := w.sendBy(client, "GET", "/v1/account", "", fromAddress(from))
		if r := refusalOf(err); r != nil && r.status == http.StatusUnauthorized {
			return nil
		}
		return err
	}
}

func (w *world) asBuyer(from, slug string) func() error {
	client := w.buyerClient(slug)
	return func() error {
		response, err := client.Do(w.ctx, "GET", "/acp/products/prod_unknown", fromAddress(from), nil)
		if err == nil && response.Status != http.StatusNotFound {
			err = acp.ErrorOf(response)
		}
		return err
	}
}

// askUntilRefused sends requests until one is refused. It keeps that refusal for a Then step.
func (w *world) askUntilRefused(send func() error) error {
	began := time.Now()
	w.probe = rateProbe{send: send}
	return w.attempt(func() error {
		for range maxRequests {
			w.probe.last = time.Now()
			err := send()
			w.probe.took = time.Since(began)
			if err != nil {
				return err
			}
			w.probe.answered++
		}
		return nil
	})
}

// answeredBeforeRefusal checks the burst. It allows one more request for each period (each, in milliseconds) that passed
// meanwhile.
func (w *world) answeredBeforeRefusal(burst int, each string) error {
	period := time.Second
	if ms, err := strconv.Atoi(each); err == nil {
		period = time.Duration(ms) * time.Millisecond
	}
	meanwhile := int(w.probe.took / period)
	if n := w.probe.answered; n < burst || n > burst+meanwhile+1 {
		return fmt.Errorf("it was answered %d times in %s", n, w.probe.took)
	}
	return nil
}

// answeredAfterRetryAfter waits as long as Retry-After says and sends a request. It also checks that header and body agree.
func (w *world) answeredAfterRetryAfter() error {
	last := w.recorder.last()
	seconds, err := strconv.Atoi(last.header.Get("Retry-After"))
	if err != nil || seconds < 1 || seconds > 2 {
		return fmt.Errorf("Retry-After is %q", last.header.Get("Retry-After"))
	}
	if inBody, ok := valueAt(last.value(), "retry_after"); last.toBuyer && (!ok || fmt.Sprint(inBody) != strconv.Itoa(seconds)) {
		return fmt.Errorf("the body says %v, the header %d", inBody, seconds)
	}
	time.Sleep(time.Duration(seconds) * time.Second)
	return w.probe.send()
}

func (w *world) refusedWithAnotherKey() error {
	key, err := w.keyNamed("Other")
	if err != nil {
		return err
	}
	return w.staysRefused(func() error { return w.sendBy(w.merchant.As(key.Secret), "GET", "/v1/account", "", nil) })
}

// staysRefused sends requests until one is refused again. The limiter may allow one for each second since the first refusal.
func (w *world) staysRefused(ask func() error) error {
	for n := range maxRequests {
		if err := ask(); err != nil {
			return wantRefusal(err, http.StatusTooManyRequests, "rate_limited")
		}
		if since := time.Since(w.probe.last); n > int(since/time.Second) {
			return fmt.Errorf("it was answered %d times in the %s after it was refused", n+1, since)
		}
	}
	return errors.New("it is refused no more")
}

func (w *world) anotherMerchantIsAnswered() error {
	mine := w.merchant
	defer func() { w.merchant = mine }()
	if err := w.createsAccount(); err != nil {
		return err
	}
	return w.asMerchant("")()
}

func (w *world) anonymousNeedsKey(from string) error {
	err := w.sendBy(w.merchant.As(""), "GET", "/v1/account", "", fromAddress(from))
	return wantRefusal(err, http.StatusUnauthorized, "unauthenticated")
}

func (w *world) buyerReadsProduct(from string, times int) error {
	send := w.asBuyer(from, w.shop.Slug)
	for range times {
		if err := send(); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) buyerOutcomeIs(how, from, slug string) error {
	ask := w.asBuyer(from, slug)
	if how == "answered" {
		return ask()
	}
	return w.staysRefused(ask)
}
