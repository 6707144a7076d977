package paypal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/haggle-commerce/haggle/adapters/payments/retry"
	"github.com/haggle-commerce/haggle/ports"
)

// maxAnswer limits an answer in bytes: 500 transactions take about one MiB.
const maxAnswer = 8 << 20

// refusal is an unsuccessful answer. It omits PayPal's messages, because they contain data of the request.
type refusal struct {
	Status  int    `json:"-"`
	Name    string `json:"name"`
	DebugID string `json:"debug_id"`
	Details []struct {
		Issue string `json:"issue"`
	} `json:"details"`
}

func (r *refusal) Error() string {
	return fmt.Sprintf("paypal: %d %s %s, debug id %s", r.Status, r.Name, r.issue(), r.DebugID)
}

func (r *refusal) issue() string {
	if len(r.Details) == 0 {
		return ""
	}
	return r.Details[0].Issue
}

// issueOf returns the issue of a request that PayPal did not carry out, or "" for other errors.
func issueOf(err error) string {
	var r *refusal
	if !errors.As(err, &r) || unclear(err) || errors.Is(err, ports.ErrCredentialsRefused) {
		return ""
	}
	if issue := r.issue(); issue != "" {
		return issue
	}
	return r.Name
}

// unclear reports whether it is unknown if PayPal has carried out the request.
func unclear(err error) bool {
	var r *refusal
	switch {
	case errors.Is(err, ports.ErrCredentialsRefused):
		return false
	case !errors.As(err, &r):
		return true
	}
	return r.Status == http.StatusConflict || r.Status == http.StatusTooManyRequests || r.Status == http.StatusRequestTimeout ||
		r.Status >= http.StatusInternalServerError || r.Status < http.StatusBadRequest
}

// call is a request. It is idempotent if it has an id or changes nothing.
type call struct {
	method, path, id string
	body             any    // JSON, or the bytes of kind
	kind             string // "": JSON
}

// do sends a call, and repeats it within the context until its outcome is clear.
func (p *Provider) do(ctx context.Context, a ports.PaymentAccount, c call, into any) error {
	return try(ctx, func() error { return p.doOnce(ctx, a, c, into) })
}

// try repeats a request whose outcome is unclear.
func try(ctx context.Context, request func() error) error {
	return retry.Errors{
		Unclear: unclear,
		Refused: func(err error) bool { return errors.Is(err, ports.ErrCredentialsRefused) },
	}.Do(ctx, request)
}

// doOnce sends a call, and sends it again with a new access token if PayPal refuses the token.
func (p *Provider) doOnce(ctx context.Context, a ports.PaymentAccount, c call, into any) error {
	stale := ""
	for {
		token, err := p.accessToken(ctx, a, stale)
		if err != nil {
			return err
		}
		status, body, err := p.ask(ctx, token, c)
		switch {
		case err != nil:
			return err
		case status == http.StatusUnauthorized && stale == "":
			stale = token
			continue
		case status == http.StatusUnauthorized || status == http.StatusForbidden:
			return fmt.Errorf("%w: %w", ports.ErrCredentialsRefused, read(status, body, nil))
		}
		return read(status, body, into)
	}
}

func (p *Provider) ask(ctx context.Context, token string, c call) (status int, body []byte, err error) {
	var content io.Reader
	if c.body != nil {
		encoded, verbatim := c.body.(json.RawMessage)
		if form, given := c.body.([]byte); given {
			encoded, verbatim = form, true
		}
		if !verbatim {
			if encoded, err = json.Marshal(c.body); err != nil {
				return 0, nil, err
			}
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, c.method, p.url+c.path, content)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", cmp.Or(c.kind, "application/json"))
	request.Header.Set("Prefer", "return=representation")
	if c.id != "" {
		request.Header.Set("PayPal-Request-Id", c.id)
	}
	return p.send(request)
}

func (p *Provider) send(request *http.Request) (status int, body []byte, err error) {
	answer, err := p.http.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("paypal: %w", err)
	}
	defer answer.Body.Close()
	if body, err = io.ReadAll(io.LimitReader(answer.Body, maxAnswer)); err != nil {
		return 0, nil, fmt.Errorf("paypal: %w", err)
	}
	return answer.StatusCode, body, nil
}

func read(status int, body []byte, into any) error {
	if status >= http.StatusOK && status < http.StatusMultipleChoices {
		if into == nil || status == http.StatusNoContent {
			return nil
		}
		if json.Unmarshal(body, into) != nil {
			return errors.New("paypal: the answer is unreadable")
		}
		return nil
	}
	r := &refusal{Status: status}
	_ = json.Unmarshal(body, r) // an unreadable body has no details
	return r
}
