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
	// MaxWait limits how long Wait and RetryAfter have callers wait, even if a platform asks for more.
	MaxWait = 5 * time.Minute
	// defaultWait is used when a platform does not say how long to wait.
	defaultWait = 5 * time.Second
)

// Judge returns the error that an answer stands for, or nil if it is a success.
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

// Wait returns the Throttled error for a platform that asks callers to wait for d. It limits d to between
// 100 ms and MaxWait.
func Wait(d time.Duration) ports.Throttled {
	return ports.Throttled{After: min(max(d, 100*time.Millisecond), MaxWait)}
}

// RetryAfter parses a Retry-After header: seconds or an HTTP date. It returns 5 s if the header is neither.
func RetryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, MaxWait.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), time.Second)
	}
	return defaultWait
}

// Token requests a token with golang.org/x/oauth2: ask gets a context that holds the HTTP client to use. The
// error is ErrCredentialsRefused if the platform rejects the code or refresh token.
func (p *Platform) Token(ctx context.Context, ask func(context.Context) (*oauth2.Token, error)) (*oauth2.Token, error) {
	within, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, p.http), Timeout)
	defer cancel()
	token, err := ask(within)
	var answered *oauth2.RetrieveError
	switch {
	case err == nil:
		return token, nil
	case !errors.As(err, &answered):
		return nil, p.tokenError(ctx, err)
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
	case http.StatusOK: // some platforms refuse with this status (RFC 6749 does not)
		return nil, ports.ErrCredentialsRefused
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return nil, fmt.Errorf("%w (%d %s)", ports.ErrCredentialsRefused, a.Status, Plain(answered.ErrorCode))
	}
	status := *p
	status.judge = nil
	return nil, status.Judge(a)
}

// tokenError is the error of a token request that has no answer, or whose answer has no token. It does not
// pass on the text of an oauth2 error, which quotes the answer.
func (p *Platform) tokenError(ctx context.Context, err error) error {
	if ctx.Err() == nil && strings.HasPrefix(err.Error(), "oauth2:") {
		return p.Failed("sent no token", nil)
	}
	return p.transportError(ctx, err)
}

// Plain returns a platform's text for display to a merchant: one line of at most 200 characters, with the
// given secrets replaced.
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
