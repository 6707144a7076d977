package features

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// asked is how somebody fared who asked until it was refused.
type asked struct {
	again    func() error // asks once more
	answered int
	took     time.Duration
	last     time.Time // when it asked what was refused
}

// mostAsked is far more than any rate of these scenarios lets through in the time that it takes.
const mostAsked = 2000

func fromAddress(address string) http.Header {
	if address == "" {
		return http.Header{}
	}
	return http.Header{"X-Forwarded-For": {address}}
}

// asMerchant, asStranger and asBuyer ask for what costs the server least.
func (w *world) asMerchant(from string) func() error {
	return func() error { return w.send("GET", "/v1/account", "", fromAddress(from)) }
}

// asStranger takes the refusal of who has no key for an answer.
func (w *world) asStranger(from string) func() error {
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
	client := w.visitor(slug)
	return func() error {
		response, err := client.Do(w.ctx, "GET", "/acp/products/prod_unknown", fromAddress(from), nil)
		if err == nil && response.Status != http.StatusNotFound {
			err = acp.ErrorOf(response)
		}
		return err
	}
}

// askUntilRefused keeps the first refusal for a Then to judge.
func (w *world) askUntilRefused(again func() error) error {
	began := time.Now()
	w.askedAlready = asked{again: again}
	return w.attempt(func() error {
		for range mostAsked {
			w.askedAlready.last = time.Now()
			err := again()
			w.askedAlready.took = time.Since(began)
			if err != nil {
				return err
			}
			w.askedAlready.answered++
		}
		return nil
	})
}

// answeredBefore allows for what came back meanwhile: one request each so many milliseconds.
func (w *world) answeredBefore(burst int, each string) error {
	period := time.Second
	if ms, err := strconv.Atoi(each); err == nil {
		period = time.Duration(ms) * time.Millisecond
	}
	meanwhile := int(w.askedAlready.took / period)
	if n := w.askedAlready.answered; n < burst || n > burst+meanwhile+1 {
		return fmt.Errorf("it was answered %d times in %s", n, w.askedAlready.took)
	}
	return nil
}

// comesBackAsTold also holds the two places where the time is told against each other.
func (w *world) comesBackAsTold() error {
	last := w.tape.last()
	seconds, err := strconv.Atoi(last.header.Get("Retry-After"))
	if err != nil || seconds < 1 || seconds > 2 {
		return fmt.Errorf("Retry-After is %q", last.header.Get("Retry-After"))
	}
	if told, ok := at(last.value(), "retry_after"); last.toBuyer && (!ok || fmt.Sprint(told) != strconv.Itoa(seconds)) {
		return fmt.Errorf("the body says %v, the header %d", told, seconds)
	}
	time.Sleep(time.Duration(seconds) * time.Second)
	return w.askedAlready.again()
}

func (w *world) refusedWithAnotherKey() error {
	key, err := w.held("Other")
	if err != nil {
		return err
	}
	return w.staysRefused(func() error { return w.sendBy(w.merchant.As(key.Secret), "GET", "/v1/account", "", nil) })
}

// staysRefused asks until it is refused again. Whoever was refused is let in once for each second that passed since.
func (w *world) staysRefused(ask func() error) error {
	for n := range mostAsked {
		if err := ask(); err != nil {
			return wantRefusal(err, http.StatusTooManyRequests, "rate_limited")
		}
		if since := time.Since(w.askedAlready.last); n > int(since/time.Second) {
			return fmt.Errorf("it was answered %d times in the %s after it was refused", n+1, since)
		}
	}
	return errors.New("it is refused no more")
}

func (w *world) anotherMerchantIsAnswered() error {
	mine := w.merchant
	defer func() { w.merchant = mine }()
	if err := w.ownsAccount(); err != nil {
		return err
	}
	return w.asMerchant("")()
}

func (w *world) strangerNeedsKey(from string) error {
	err := w.sendBy(w.merchant.As(""), "GET", "/v1/account", "", fromAddress(from))
	return wantRefusal(err, http.StatusUnauthorized, "unauthenticated")
}

func (w *world) buyerAsksOften(from string, times int) error {
	again := w.asBuyer(from, w.shop.Slug)
	for range times {
		if err := again(); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) buyerFares(how, from, slug string) error {
	ask := w.asBuyer(from, slug)
	if how == "answered" {
		return ask()
	}
	return w.staysRefused(ask)
}
