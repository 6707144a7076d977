// Package shopping lets the simulator's buyers shop over the Universal Commerce Protocol (UCP), by REST or MCP: it
// translates the words of Haggle's own protocol, which buyers and witness speak, to calls of package ucp, and the
// answers back. What UCP does not say is left out, or said where it is made up.
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

// plenty is how many there are of a variant that is in stock: UCP does not say.
const plenty = 10

// Shop is a buyer's shop over UCP. It is for one goroutine.
type Shop struct {
	client    *ucp.Client
	currency  string
	email     string
	observers []func(acp.Call)

	products     map[string]string // product by variant
	negotiations map[string]ucp.Negotiation
	checkouts    map[string]*opened
	wire         *acp.Call // the latest call, not yet told
}

// opened is what an update of a checkout has to repeat.
type opened struct {
	latest  ucp.Checkout
	request ucp.CheckoutRequest
}

// Config says how to shop. Observers see every call: those on the way to an answer without a response.
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
		s.tell()
		s.wire = &acp.Call{
			Endpoint: prefix + string(call.Operation),
			At:       call.At,
			Request:  call.Request,
			Raw:      call.Raw,
			Err:      problemOf(call.Err),
		}
	})
	client, err := ucp.Discover(ctx, config.UCP)
	s.tell()
	if err != nil {
		return nil, problemOf(err)
	}
	s.client = client
	return s, nil
}

// Transcript is the conversation so far.
func (s *Shop) Transcript() *exchange.Transcript { return s.client.Transcript() }

// tell tells the observers of the latest call on the wire.
func (s *Shop) tell() {
	if s.wire == nil {
		return
	}
	for _, observe := range s.observers {
		observe(*s.wire)
	}
	s.wire = nil
}

// done ends a verb: the latest call on the wire carries what was asked and answered.
func done[Q, A any](s *Shop, request Q, answer A, err error) (A, error) {
	err = problemOf(err)
	if s.wire == nil {
		s.wire = &acp.Call{At: time.Now()}
	}
	s.wire.Request, s.wire.Err = request, err
	if err == nil {
		s.wire.Response = answer
	}
	s.tell()
	return answer, err
}

// problemOf is an error of UCP's in the words of Haggle's own protocol. An outcome is a conflict there.
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

// refused is the first error that an answer has, as an error.
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

// power is how many minor units the currency's unit has.
func power(currency string) int64 {
	units := int64(1)
	for range decimal.Places(currency) {
		units *= 10
	}
	return units
}

// fromMinor is zero for an amount that a Decimal cannot hold; the judge reports it.
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

// toMinor is exact: offers have the currency's decimals.
func toMinor(price decimal.Decimal, currency string) ucp.Money {
	return ucp.Money{Amount: price.Times(power(currency)).Whole(), Currency: currency}
}

// saving is the share of the list price that is saved, as Haggle's own protocol writes it: "12.5%".
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
