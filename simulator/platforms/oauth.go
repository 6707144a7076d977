package platforms

import (
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

// consents are the codes that were handed out and not yet used.
type consents struct {
	mu    sync.Mutex
	codes map[string]consent
}

// consent is what a code stands for.
type consent struct {
	client, redirect, scope, challenge string
	expires                            time.Time
}

func (c *consents) give(made consent) (code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.codes == nil {
		c.codes = map[string]consent{}
	}
	code = randomText(24)
	c.codes[code] = made
	return code
}

// take uses the code up, whatever comes of it.
func (c *consents) take(code string, now time.Time) (consent, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	made, found := c.codes[code]
	delete(c.codes, code)
	return made, found && now.Before(made.expires)
}

// proves compares a PKCE verifier with the challenge, where there was one.
func (c consent) proves(verifier string) bool {
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

// readConsent judges the query of an authorization. Text: why it is refused, to the person and not to the redirect.
func (p *Platforms) readConsent(platform, account string, c *call) (consentRequest, string) {
	q := c.URL.Query()
	asked := consentRequest{Platform: platform, Account: account, Client: q.Get("client_id"), Redirect: q.Get("redirect_uri")}
	asked.Scopes = slices.DeleteFunc(strings.FieldsFunc(q.Get("scope"), func(r rune) bool { return r == ',' || r == ' ' }),
		func(s string) bool { return s == "" })
	target, err := url.Parse(asked.Redirect)
	switch {
	case asked.Client != p.config.ClientID:
		return asked, "There is no app with this client_id."
	case err != nil || !target.IsAbs() || target.Host == "" || target.Fragment != "":
		return asked, "The redirect_uri is missing or cannot be used."
	case q.Get("code_challenge") != "" && q.Get("code_challenge_method") != "S256":
		return asked, "The code_challenge_method must be S256."
	}
	return asked, ""
}

func (s *side) routeConsent(path, platform, account string, approve func(*call, consent) url.Values) {
	var codes = func(c *call) answer {
		asked, why := s.p.readConsent(platform, account, c)
		if why != "" {
			return answer{status: http.StatusBadRequest, kind: "text/plain; charset=utf-8", body: []byte(why + "\n")}
		}
		q := c.URL.Query()
		if c.Method == http.MethodGet {
			var page strings.Builder
			_ = consentPage.Execute(&page, asked)
			return answer{status: http.StatusOK, kind: "text/html; charset=utf-8", body: []byte(page.String())}
		}
		form, _ := url.ParseQuery(string(c.body))
		back := url.Values{"error": {"access_denied"}, "error_description": {"The merchant denied the request."}}
		if form.Get("approve") == "1" {
			back = approve(c, consent{
				client: asked.Client, redirect: asked.Redirect, scope: strings.Join(asked.Scopes, " "),
				challenge: q.Get("code_challenge"), expires: s.p.config.Now().Add(codeLife),
			})
		} else if q.Has("state") {
			back.Set("state", q.Get("state"))
		}
		return answer{status: http.StatusFound}.with("Location", withQuery(asked.Redirect, back))
	}
	s.route("GET", path, "consent", codes)
	s.route("POST", path, "consent", codes)
}

func withQuery(target string, add url.Values) string {
	u, _ := url.Parse(target) // judged before
	q := u.Query()
	for name, values := range add {
		q[name] = values
	}
	u.RawQuery = q.Encode()
	return u.String()
}
