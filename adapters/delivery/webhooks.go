package delivery

import (
	"bytes"
	"errors"
	"fmt"
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

// maxAnswer is how many bytes of a response are read and discarded.
const maxAnswer = 4 << 10

// Webhooks signs requests and posts them. Any 2xx is a success.
type Webhooks struct {
	Client    *http.Client // SafeClient's
	UserAgent string
	// SignMessage adds a message signature's headers to a request and signs it (RFC 9421).
	SignMessage func(request *http.Request, body []byte, by ports.MessageSignature) error
}

var _ ports.Webhooks = Webhooks{}

// Post reports only the kind of a failure. It does not reveal the receiver's response or what a name resolved to.
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
		err = signShared(request, hook, proof)
	case ports.MessageSignature:
		err = w.SignMessage(request, hook.Body, proof)
	default:
		err = fmt.Errorf("there is no signing by %T", proof)
	}
	if err != nil {
		return event.Result{Error: err.Error()}
	}
	return send(w.Client, request)
}

// signShared signs a request with shared secrets (Standard Webhooks).
func signShared(request *http.Request, hook ports.Webhook, secrets ports.SharedSecrets) error {
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

// send sends a request and returns its result.
func send(client *http.Client, request *http.Request) event.Result {
	answer, err := client.Do(request)
	if err != nil {
		return event.Result{Error: failureKind(err)}
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // so that the connection can be used again
	r := event.Result{Code: answer.StatusCode}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		r.Error = "the receiver answered " + strconv.Itoa(answer.StatusCode)
	}
	return r
}

// failureKind describes an error without revealing anything about the internal network.
func failureKind(err error) string {
	var late net.Error
	var lookup *net.DNSError
	var wrapped *url.Error
	switch {
	case errors.Is(err, ErrPrivate), errors.As(err, &lookup): // one message, or it would reveal which names exist in the internal network
		return "the host's name leads to no public address"
	case errors.As(err, &late) && late.Timeout():
		return "no answer in time"
	case errors.As(err, &wrapped) && strings.Contains(wrapped.Err.Error(), "tls: "):
		return "the TLS connection failed"
	}
	return "the connection failed"
}
