// Package shopping lets the simulator's buyers shop over the Universal Commerce Protocol (UCP), by REST or MCP. It
// converts requests of Haggle's own protocol, which buyers and witness use, to calls of package ucp, and the answers
// back. Fields that UCP does not have stay empty; comments say where a value is made up.
package shopping

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// plenty is the assumed stock of a variant in stock, because UCP has no stock levels.
const plenty = 10

// Shop is a shop that a buyer reaches over UCP. It is not safe for concurrent use.
type Shop struct {
	client    *ucp.Client
	currency  string
	email     string
	observers []func(acp.Call)

	products     map[string]string // product by variant
	negotiations map[string]ucp.Negotiation
	checkouts    map[string]*opened
	wire         *acp.Call // the latest call, not reported to observers yet
}

// opened is the part of a checkout that every update must repeat.
type opened struct {
	latest  ucp.Checkout
	request ucp.CheckoutRequest
}

// Config is how to shop. Observers see every call. If one answer takes several calls, only the last has a response.
type Config struct {
	UCP       ucp.Config
	Currency  string // of the shop
	Email     string // the buyer's; default buyer@example.com
	Observers []func(acp.Call)
}

// Enter reads the shop's profile.
func Enter(ctx context.Context, config Config) (*Shop, error) {
	s := &Shop{
		currency:     config.Currency,
		email:        config.Email,
		observers:    config.Observers,
		products:     map[string]string{},
		negotiations: map[string]ucp.Negotiation{},
		checkouts:    map[string]*opened{},
	}
	if s.email == "" {
		s.email = "buyer@example.com"
	}
	prefix := "UCP "
	if config.UCP.Transport == ucp.MCP {
		prefix = "MCP "
	}
	config.UCP.Observers = append(config.UCP.Observers, func(call ucp.Call) {
		s.notify()
		s.wire = &acp.Call{
			Endpoint: prefix + string(call.Operation),
			At:       call.At,
			Request:  call.Request,
			Raw:      call.Raw,
			Err:      problemOf(call.Err),
		}
	})
	client, err := ucp.Discover(ctx, config.UCP)
	s.notify()
	if err != nil {
		return nil, problemOf(err)
	}
	s.client = client
	return s, nil
}

// Transcript returns the conversation so far.
func (s *Shop) Transcript() *exchange.Transcript { return s.client.Transcript() }

// notify reports the latest call to the observers.
func (s *Shop) notify() {
	if s.wire == nil {
		return
	}
	for _, observe := range s.observers {
		observe(*s.wire)
	}
	s.wire = nil
}

// done ends a step: it adds request and answer in Haggle's own protocol to the latest call.
func done[Q, A any](s *Shop, request Q, answer A, err error) (A, error) {
	err = problemOf(err)
	if s.wire == nil {
		s.wire = &acp.Call{At: time.Now()}
	}
	s.wire.Request, s.wire.Err = request, err
	if err == nil {
		s.wire.Response = answer
	}
	s.notify()
	return answer, err
}

// problemOf converts a UCP error to an error of Haggle's own protocol. An outcome becomes a conflict.
func problemOf(err error) error {
	var problem *ucp.Error
	if !errors.As(err, &problem) {
		return err
	}
	status := problem.HTTPStatus
	if problem.Outcome() {
		status = http.StatusConflict
		if problem.Code == "not_found" {
			status = http.StatusNotFound
		}
	}
	return &acp.Error{
		HTTPStatus: status,
		Status:     "error",
		Code:       problem.Code,
		Message:    problem.Content,
		RetryAfter: int(problem.RetryAfter / time.Second),
	}
}

// refused returns an answer's first error message as an error.
func refused(messages ucp.Messages, otherwise string) error {
	for _, said := range messages.Errors() {
		return &acp.Error{
			HTTPStatus: http.StatusConflict,
			Status:     "error",
			Code:       said.Code,
			Message:    said.Content,
		}
	}
	return &acp.Error{
		HTTPStatus: http.StatusConflict,
		Status:     "error",
		Code:       "checkout_refused",
		Message:    otherwise,
	}
}

// power returns the number of minor units in a unit of the currency.
func power(currency string) int64 {
	units := int64(1)
	for range decimal.Places(currency) {
		units *= 10
	}
	return units
}

// fromMinor converts an amount. It returns zero for an amount that is out of a Decimal's range, which the judge reports.
func fromMinor(amount int64, currency string) decimal.Decimal {
	places := decimal.Places(currency)
	digits := fmt.Sprintf("%0*d", places+1, max(amount, -amount))
	text := digits
	if places > 0 {
		text = digits[:len(digits)-places] + "." + digits[len(digits)-places:]
	}
	if amount < 0 {
		text = "-" + text
	}
	price, _ := decimal.Parse(text)
	return price
}

// toMinor converts a price exactly, because offers have no more decimals than the currency.
func toMinor(price decimal.Decimal, currency string) ucp.Money {
	return ucp.Money{Amount: price.Times(power(currency)).Whole(), Currency: currency}
}

// saving returns the saved share of the list price in the format of Haggle's own protocol: "12.5%".
func saving(list, price ucp.Money) string {
	if list.Amount <= 0 {
		return "0%"
	}
	thousandths := (list.Amount - price.Amount) * 1000 / list.Amount
	if thousandths%10 == 0 {
		return fmt.Sprintf("%d%%", thousandths/10)
	}
	return fmt.Sprintf("%d.%d%%", thousandths/10, thousandths%10)
}
