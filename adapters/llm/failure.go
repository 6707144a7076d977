package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/llm/internal/endpoint"
	"github.com/haggle-commerce/haggle/domain/fault"
)

var (
	errDenied        = errors.New("the model refuses whatever it is asked") // a wrong key, no such model, too many requests
	errNoTemperature = errors.New("the model takes no temperature")
)

func isDenied(err error) bool { return errors.Is(err, errDenied) }

func timeout() *fault.Error {
	return fault.New(fault.Unavailable, "model_timeout", "The language model did not answer in time.")
}

func unreachable(message string) *fault.Error {
	return fault.New(fault.Unavailable, "model_unreachable", message)
}

func refused(message string) *fault.Error {
	return fault.New(fault.Unavailable, "model_refused", message)
}

func nonsense(message string) *fault.Error {
	return fault.New(fault.Unavailable, "model_nonsense", message)
}

// failed returns the error of a request without a response. It omits a library's error text, which may repeat the prompt, and
// keeps a network's.
func failed(ctx context.Context, err error) error {
	var network *url.Error
	var operation *net.OpError
	var tooLong *http.MaxBytesError
	var answered *endpoint.StatusError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return timeout()
	case errors.As(err, &answered):
		return statusError(answered)
	case errors.Is(err, endpoint.ErrRedirected):
		return nonsense("The language model's address is redirected.")
	case errors.As(err, &tooLong):
		return nonsense("The language model's answer is too long.")
	case errors.As(err, &network):
		return unreachable("The language model cannot be reached.").Because(network.Err)
	case errors.As(err, &operation):
		return unreachable("The language model cannot be reached.").Because(operation)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nonsense("The language model's answer broke off.")
	}
	return nonsense("The language model sent no answer that can be read.")
}

// statusError returns the error of a response whose status is not a success. Of the response's text, it only checks whether it
// rejects the temperature, as reasoning models do.
func statusError(a *endpoint.StatusError) error {
	status := a.Status
	message := fmt.Sprintf("The language model answered %d.", status)
	switch {
	case status == http.StatusTooManyRequests:
		return refused(message).After(a.RetryAfter()).Because(errDenied)
	case status >= 500:
		return unreachable(message).After(a.RetryAfter())
	case status == http.StatusBadRequest && strings.Contains(a.Text, "temperature"):
		return refused(message).Because(errNoTemperature)
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		return refused(message)
	}
	return refused(message).Because(errDenied)
}
