package delivery

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/ports"
)

// maxAnswer is how much of an answer is read. Nothing of it is kept.
const maxAnswer = 4 << 10

// Webhooks signs requests and posts them. Any 2xx is a success.
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
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", w.UserAgent)
	request.Header.Set(standardwebhooks.HeaderWebhookID, hook.ID.String())
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(hook.At.Unix(), 10))
	switch proof := hook.Proof.(type) {
	case ports.SharedSecrets:
		err = share(request, hook, proof)
	case ports.MessageSignature:
		err = sign(request, hook.Body, proof)
	default:
		err = fmt.Errorf("there is no signing by %T", proof)
	}
	if err != nil {
		return event.Result{Error: err.Error()}
	}
	return send(w.Client, request)
}

// share signs a request by Standard Webhooks.
func share(request *http.Request, hook ports.Webhook, secrets ports.SharedSecrets) error {
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			signatures[i], err = key.Sign(hook.ID.String(), hook.At, hook.Body)
		}
		if err != nil {
			return errors.New("the subscription's secret cannot sign: rotate it")
		}
	}
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}

// sign signs a request by RFC 9421: all of it that tells what is sent, to whom, and about which event.
func sign(request *http.Request, body []byte, by ports.MessageSignature) error {
	request.Header.Set("Content-Digest", httpsig.Digest(body))
	covered := []string{"@method", "@authority", "@path"}
	if request.URL.RawQuery != "" {
		covered = append(covered, "@query")
	}
	for _, name := range slices.Sorted(maps.Keys(by.Header)) {
		request.Header.Set(name, by.Header[name])
		if !strings.EqualFold(name, standardwebhooks.HeaderWebhookID) { // which is covered below
			covered = append(covered, strings.ToLower(name))
		}
	}
	covered = append(covered, "content-digest", "content-type", standardwebhooks.HeaderWebhookID, standardwebhooks.HeaderWebhookTimestamp)
	message := httpsig.Request(request.Method, request.URL, request.Header)
	if err := httpsig.Sign(message, "sig1", covered, by.Time, by.Key); err != nil {
		return fmt.Errorf("the request cannot be signed: %w", err)
	}
	return nil
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
