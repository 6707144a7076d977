package remoteagent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sony/gobreaker/v2"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// longest is how many bytes of a response are read.
const longest = 64 << 10

// errNotAsked means that no request was sent to the handler.
var errNotAsked = errors.New("the handler was not asked")

// errCallerGone means that the caller's context ended before the response.
var errCallerGone = errors.New("nobody waits for the answer any more")

func late() *fault.Error {
	return unavailable("agent_timeout", "The agent's handler did not answer in time.")
}

func unavailable(code, message string) *fault.Error {
	return fault.New(fault.Unavailable, code, message)
}

// nonsense returns the error of an invalid answer. Its text does not quote the handler, which may repeat confidential values.
func nonsense(why string) error {
	return unavailable("agent_nonsense", "The agent's handler gave no answer to this event: "+why+".")
}

// question is an event to send to a handler.
type question struct {
	kind  string
	scene agent.Scene
	data  func(context.Context) any
}

// ask sends a question to a handler that is not suspended, and reads the answer.
func ask[T any](ctx context.Context, a *Agents, to ports.RemoteHandler, q question, read func([]byte) (T, error)) (T, error) {
	var answer T
	key, err := signer(to.Secret)
	if err != nil {
		return answer, err
	}
	_, err = a.circuits.Of(circuitKey(to)).Execute(func() (struct{}, error) {
		timed, cancel := context.WithTimeout(ctx, a.client.Timeout)
		defer cancel()
		body, err := a.post(timed, to, key, q)
		if errors.Is(err, bulkhead.ErrFull) {
			err = unavailable("agent_busy", "Too many questions wait for the agent's handler.").Because(errNotAsked)
		}
		if err == nil {
			answer, err = read(body)
		}
		if ctx.Err() != nil && fault.Is(err, "agent_timeout") { // the caller's deadline passed, not the handler's
			err = late().Because(errCallerGone)
		}
		return struct{}{}, err
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		err = unavailable("agent_suspended", "The agent's handler failed too often and is left alone for a while.")
	}
	return answer, err
}

// signer creates a signing key from a secret. It refuses an empty one, which the library accepts.
func signer(secret string) (*standardwebhooks.Webhook, error) {
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil || len(secret) < len("whsec_")+16 {
		return nil, unavailable("agent_secret", "The agent's secret cannot sign.")
	}
	return key, nil
}

// post sends a signed request once: the client repeats a POST only if it knows that none of it was sent.
func (a *Agents) post(ctx context.Context, to ports.RemoteHandler, key *standardwebhooks.Webhook, q question) ([]byte, error) {
	event, now := id.New[id.Event](a.entropy.IDBits()), a.clock.Now()
	body, err := json.Marshal(toAPIRequest(event, q.kind, to.Agent, q.scene, q.data(ctx), now), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, err
	}
	signature, err := key.Sign(event.String(), now, body)
	if err != nil {
		return nil, unavailable("agent_secret", "The agent's secret cannot sign.")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, unavailable("agent_unreachable", "The agent's handler has no address that can be read.")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", a.userAgent)
	r.Header.Set(standardwebhooks.HeaderWebhookID, event.String())
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	var answer []byte
	err = a.room.Wait(ctx, circuitKey(to), func() (err error) {
		answer, err = receive(ctx, a.client, r)
		return err
	})
	return answer, err
}

// receive sends a request and reads the body of a successful response.
func receive(ctx context.Context, client *http.Client, r *http.Request) ([]byte, error) {
	answer, err := client.Do(r)
	if err != nil {
		return nil, lost(ctx, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, longest+1)) // to the end, so that the connection can be reused
	switch {
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return nil, unavailable("agent_refused", "The agent's handler answered "+strconv.Itoa(answer.StatusCode)+".")
	case err != nil:
		return nil, lost(ctx, err)
	case len(body) > longest:
		return nil, nonsense("it is too long")
	}
	return body, nil
}

// lost returns the error of a request without a response. Only network errors are kept as its cause, which is logged: others
// contain the address, which may include a secret, or what the handler sent.
func lost(ctx context.Context, err error) error {
	if slow, ok := errors.AsType[net.Error](err); ctx.Err() != nil || ok && slow.Timeout() {
		return late()
	}
	unreachable := unavailable("agent_unreachable", "The agent's handler could not be reached.")
	if cause, ok := errors.AsType[*net.OpError](err); ok {
		return unreachable.Because(cause)
	}
	return unreachable
}
