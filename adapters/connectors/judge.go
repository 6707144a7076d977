package connectors

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/haggle-commerce/haggle/ports"
)

const (
	// MaxWait is the longest that a platform is let wait for, whatever it asks.
	MaxWait = 5 * time.Minute
	// usualWait is for platforms that do not say for how long.
	usualWait = 5 * time.Second
)

// Judge is the error that an answer means, nil for a success.
func (p *Platform) Judge(a Answer) error {
	if p.judge != nil {
		if err := p.judge(a); err != nil {
			return err
		}
	}
	switch s := a.Status; {
	case s >= 200 && s < 300:
		return nil
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		return fmt.Errorf("%w (%d)", ports.ErrCredentialsRefused, s)
	case s == http.StatusTooManyRequests:
		return Wait(RetryAfter(a.Header.Get("Retry-After"), p.clock.Now()))
	case s < 400:
		return p.Failed("sent us elsewhere", fmt.Errorf("status %d", s))
	case s >= 500 || s == http.StatusRequestTimeout || s == http.StatusTooEarly:
		return p.Failed(fmt.Sprintf("has a problem of its own (%d)", s), nil)
	}
	return p.Refused(fmt.Sprintf("refused the request (%d)", a.Status))
}

// Wait is the platform's wish for patience, within reason.
func Wait(d time.Duration) ports.Throttled {
	return ports.Throttled{After: min(max(d, 100*time.Millisecond), MaxWait)}
}

// RetryAfter reads the header of that name: seconds, or an HTTP date. What it does not say is a few seconds.
func RetryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, MaxWait.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), time.Second)
	}
	return usualWait
}

// Token has golang.org/x/oauth2 ask this platform for a token: ask gets a context with the HTTP client to
// use. A code or refresh token that the platform does not take is ErrCredentialsRefused.
func (p *Platform) Token(ctx context.Context, ask func(context.Context) (*oauth2.Token, error)) (*oauth2.Token, error) {
	within, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, p.http), Timeout)
	defer cancel()
	token, err := ask(within)
	var answered *oauth2.RetrieveError
	switch {
	case err == nil:
		return token, nil
	case !errors.As(err, &answered):
		return nil, p.untokened(ctx, err)
	}
	a := Answer{
		Status: answered.Response.StatusCode,
		Header: answered.Response.Header,
		Body:   answered.Body,
	}
	if p.judge != nil && a.Status != http.StatusOK {
		if said := p.judge(a); errors.Is(said, ports.ErrCredentialsRefused) {
			return nil, said
		}
	}
	switch a.Status {
	case http.StatusOK: // some platforms refuse so (RFC 6749 does not)
		return nil, ports.ErrCredentialsRefused
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return nil, fmt.Errorf("%w (%d %s)", ports.ErrCredentialsRefused, a.Status, Plain(answered.ErrorCode))
	}
	status := *p
	status.judge = nil
	return nil, status.Judge(a)
}

// untokened is the error of a token request without an answer, or with one that has no token: its text
// quotes the answer.
func (p *Platform) untokened(ctx context.Context, err error) error {
	if ctx.Err() == nil && strings.HasPrefix(err.Error(), "oauth2:") {
		return p.Failed("sent no token", nil)
	}
	return p.unanswered(ctx, err)
}

// Plain is a platform's text as a merchant may see it: a short line, without the secrets that are named.
func Plain(text string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
	text = strings.Join(strings.Fields(text), " ")
	if list := []rune(text); len(list) > 200 {
		return string(list[:200]) + "…"
	}
	return text
}
