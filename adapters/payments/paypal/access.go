package paypal

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

// expiryMargin is how long before its expiry an access token is replaced.
const expiryMargin = 2 * time.Minute

// access is the access token of an account. The holder of mu requests a new token, and others wait for it.
type access struct {
	mu    chan struct{} // capacity 1; a channel, so that a waiting request can be canceled
	token string
	until time.Time
}

// Inspect requests an access token. It identifies the account by its client id, because the secret can be
// rotated, and the app_id in the answer is the same for all applications of PayPal's sandbox.
func (p *Provider) Inspect(ctx ports.Outbound, a ports.PaymentAccount) (account string, live bool, err error) {
	err = try(ctx, func() error {
		_, err := p.grant(ctx, a)
		return err
	})
	if err != nil {
		return "", false, err
	}
	return a.Key, p.live, nil
}

// accessToken returns a valid token. stale is a token that PayPal has refused, or "".
func (p *Provider) accessToken(ctx context.Context, a ports.PaymentAccount, stale string) (string, error) {
	entry := p.accessOf(a)
	select {
	case entry.mu <- struct{}{}:
		defer func() { <-entry.mu }()
	case <-ctx.Done():
		return "", fmt.Errorf("paypal: %w", ctx.Err())
	}
	if entry.token != "" && entry.token != stale && p.clock.Now().Before(entry.until) {
		return entry.token, nil
	}
	given, err := p.grant(ctx, a)
	if err != nil {
		return "", err
	}
	entry.token, entry.until = given.Token, p.clock.Now().Add(time.Duration(given.Seconds)*time.Second-expiryMargin)
	return entry.token, nil
}

func (p *Provider) accessOf(a ports.PaymentAccount) *access {
	name := sha256.Sum256([]byte(a.Key + "\x00" + a.Secret))
	p.mu.Lock()
	defer p.mu.Unlock()
	entry := p.access[name]
	if entry == nil {
		entry = &access{mu: make(chan struct{}, 1)}
		p.access[name] = entry
	}
	return entry
}

type granted struct {
	Token   string `json:"access_token"`
	Seconds int64  `json:"expires_in"`
}

// grant requests an access token with the account's credentials.
func (p *Provider) grant(ctx context.Context, a ports.PaymentAccount) (granted, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/v1/oauth2/token", strings.NewReader("grant_type=client_credentials"))
	if err != nil {
		return granted{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(a.Key, a.Secret)
	status, body, err := p.send(request)
	if err != nil {
		return granted{}, err
	}
	var given granted
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return granted{}, fmt.Errorf("paypal: %w", ports.ErrCredentialsRefused)
	case status != http.StatusOK:
		return granted{}, &refusal{Status: status}
	case json.Unmarshal(body, &given) != nil || given.Token == "":
		return granted{}, errors.New("paypal: no access token in the answer")
	}
	return given, nil
}
