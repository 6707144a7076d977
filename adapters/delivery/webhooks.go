package delivery

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/ports"
)

// maxAnswer is how much of an answer is read. Nothing of it is kept.
const maxAnswer = 4 << 10

// Webhooks signs requests by Standard Webhooks and posts them. Any 2xx is a success.
type Webhooks struct {
	Client    *http.Client // SafeClient's
	UserAgent string
}

var _ ports.Webhooks = Webhooks{}

// Post tells of a failure no more than its sort: what a receiver answers is its own, and what a name
// resolved to is nobody's business.
func (w Webhooks) Post(ctx ports.Outbound, hook ports.Webhook) event.Result {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.URL, bytes.NewReader(hook.Body))
	if err != nil {
		return event.Result{Error: "the URL cannot be read"}
	}
	signatures := make([]string, len(hook.Secrets))
	for i, secret := range hook.Secrets {
		key, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			signatures[i], err = key.Sign(hook.ID.String(), hook.At, hook.Body)
		}
		if err != nil {
			return event.Result{Error: "the subscription's secret cannot sign: rotate it"}
		}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", w.UserAgent)
	request.Header.Set(standardwebhooks.HeaderWebhookID, hook.ID.String())
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(hook.At.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return send(w.Client, request)
}

// send sends a request, and judges the answer.
func send(client *http.Client, request *http.Request) event.Result {
	answer, err := client.Do(request)
	if err != nil {
		return event.Result{Error: sortOf(err)}
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // so that the connection can be used again
	r := event.Result{Code: answer.StatusCode}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		r.Error = "the receiver answered " + strconv.Itoa(answer.StatusCode)
	}
	return r
}

// sortOf is what went wrong, in words that tell nothing of our network.
func sortOf(err error) string {
	var late net.Error
	var lookup *net.DNSError
	var wrapped *url.Error
	switch {
	case errors.Is(err, ErrPrivate), errors.As(err, &lookup): // one answer, or names of our network could be told from others
		return "the host's name leads to no public address"
	case errors.As(err, &late) && late.Timeout():
		return "no answer in time"
	case errors.As(err, &wrapped) && strings.Contains(wrapped.Err.Error(), "tls: "):
		return "the TLS connection failed"
	}
	return "the connection failed"
}
