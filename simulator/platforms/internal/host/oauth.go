package host

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const codeLife = time.Minute

// Consents are the authorization codes that were not used yet.
type Consents struct {
	mu    sync.Mutex
	codes map[string]Consent
}

// Consent is the data behind a code.
type Consent struct {
	Client, Redirect, Scope, challenge string
	expires                            time.Time
}

func (c *Consents) Give(made Consent) (code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.codes == nil {
		c.codes = map[string]Consent{}
	}
	code = RandomText(24)
	c.codes[code] = made
	return code
}

// Take returns the consent of a code and removes it, even if the exchange fails later.
func (c *Consents) Take(code string, now time.Time) (Consent, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	made, found := c.codes[code]
	delete(c.codes, code)
	return made, found && now.Before(made.expires)
}

// Proves checks a PKCE verifier against the challenge, if there was one.
func (c Consent) Proves(verifier string) bool {
	if c.challenge == "" {
		return true
	}
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:]) == c.challenge
}

var consentPage = template.Must(template.New("consent").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Connect {{.Account}}</title>
<style>body{font:16px/1.5 system-ui;max-width:34rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1.2rem}</style>
<h1>{{.Platform}} (look-alike)</h1>
<p>The app <b>{{.Client}}</b> asks to connect to <b>{{.Account}}</b> and may then:</p>
<ul>{{range .Scopes}}<li>{{.}}</li>{{else}}<li>read basic data</li>{{end}}</ul>
<p>You will be sent back to <code>{{.Redirect}}</code>.</p>
<form method="post"><button name="approve" value="1">Approve</button> <button name="approve" value="0">Deny</button></form>
`))

type consentRequest struct {
	Platform, Account, Client, Redirect string
	Scopes                              []string
}

// readConsent validates an authorization request. It returns an error text to show to the user instead of a redirect.
func (p *Host) readConsent(platform, account string, c *Call) (consentRequest, string) {
	q := c.URL.Query()
	asked := consentRequest{
		Platform: platform,
		Account:  account,
		Client:   q.Get("client_id"),
		Redirect: q.Get("redirect_uri"),
	}
	asked.Scopes = slices.DeleteFunc(strings.FieldsFunc(q.Get("scope"), func(r rune) bool { return r == ',' || r == ' ' }),
		func(s string) bool { return s == "" })
	target, err := url.Parse(asked.Redirect)
	switch {
	case asked.Client != p.Config.ClientID:
		return asked, "There is no app with this client_id."
	case err != nil || !target.IsAbs() || target.Host == "" || target.Fragment != "":
		return asked, "The redirect_uri is missing or cannot be used."
	case q.Get("code_challenge") != "" && q.Get("code_challenge_method") != "S256":
		return asked, "The code_challenge_method must be S256."
	}
	return asked, ""
}

func (s *Side) RouteConsent(path, platform, account string, approve func(*Call, Consent) url.Values) {
	var codes = func(c *Call) Answer {
		asked, why := s.Host.readConsent(platform, account, c)
		if why != "" {
			return Answer{
				Status: http.StatusBadRequest,
				Kind:   "text/plain; charset=utf-8",
				Body:   []byte(why + "\n"),
			}
		}
		q := c.URL.Query()
		if c.Method == http.MethodGet {
			var page strings.Builder
			_ = consentPage.Execute(&page, asked)
			return Answer{
				Status: http.StatusOK,
				Kind:   "text/html; charset=utf-8",
				Body:   []byte(page.String()),
			}
		}
		form, _ := url.ParseQuery(string(c.Content))
		back := url.Values{"error": {"access_denied"}, "error_description": {"The merchant denied the request."}}
		if form.Get("approve") == "1" {
			back = approve(c, Consent{
				Client:    asked.Client,
				Redirect:  asked.Redirect,
				Scope:     strings.Join(asked.Scopes, " "),
				challenge: q.Get("code_challenge"),
				expires:   s.Host.Config.Now().Add(codeLife),
			})
		} else if q.Has("state") {
			back.Set("state", q.Get("state"))
		}
		return Answer{Status: http.StatusFound}.With("Location", withQuery(asked.Redirect, back))
	}
	s.Route("GET", path, "consent", codes)
	s.Route("POST", path, "consent", codes)
}

func withQuery(target string, add url.Values) string {
	u, _ := url.Parse(target) // validated before
	q := u.Query()
	for name, values := range add {
		q[name] = values
	}
	u.RawQuery = q.Encode()
	return u.String()
}

func RandomText(n int) string {
	raw := make([]byte, n)
	_, _ = rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}
