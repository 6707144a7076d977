// Package openid is an OpenID Connect provider for testing relying parties. It is written from OpenID Connect Core 1.0
// and Discovery 1.0, OAuth 2.0 (RFC 6749), PKCE (RFC 7636) and JWS (RFC 7515) with the standard library alone. [Faults]
// make it misbehave.
package openid

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Person is the user who signs in.
type Person struct {
	Subject  string
	Email    string
	Verified bool
	Name     string
}

// Faults are the provider's mistakes.
type Faults struct {
	Claims    map[string]any // replace claims of the ID token; a nil value removes one
	Algorithm string         // signing algorithm: RS256 (the default), ES256, HS256 or none
	Stranger  bool           // signs with a key that is not the provider's
	Hang      bool           // never answers
	Broken    bool           // answers 500
	State     string         // redirects with this state
	Denied    bool           // the user denies consent
	NoKeys    bool           // publishes no keys
	NoEmail   bool           // only the UserInfo endpoint has the e-mail address
	Other     string         // subject that the UserInfo endpoint returns
	From      string         // issuer in the authorization response
}

// Provider is an OpenID provider with a single client.
type Provider struct {
	ClientID, ClientSecret string
	Redirect               string // the client's registered redirect URI; "": any

	server   *http.Server
	listener net.Listener
	rsa      *rsa.PrivateKey
	ecdsa    *ecdsa.PrivateKey
	closed   chan struct{}
	once     sync.Once

	mu     sync.Mutex
	person Person
	faults Faults
	now    func() time.Time
	asks   bool
	codes  map[string]grant
	tokens map[string]Person
	served map[string]int
}

// grant is the data behind an authorization code.
type grant struct {
	person                     Person
	nonce, challenge, redirect string
}

// Start starts a provider on the loopback interface.
func Start() (*Provider, error) {
	p := &Provider{
		ClientID:     "haggle",
		ClientSecret: "a secret, with signs: +&=%",
		now:          time.Now,
		closed:       make(chan struct{}),
		codes:        map[string]grant{},
		tokens:       map[string]Person{},
		served:       map[string]int{},
	}
	var err error
	if p.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		return nil, err
	}
	if p.ecdsa, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", p.userInfo)
	p.server = &http.Server{Handler: p.faulty(mux), ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(p.listener) }()
	return p, nil
}

// Close stops the provider.
func (p *Provider) Close() error {
	p.once.Do(func() { close(p.closed) })
	return p.server.Close()
}

// Issuer returns the provider's issuer identifier.
func (p *Provider) Issuer() string { return "http://" + p.listener.Addr().String() }

// SignsIn sets the user who signs in.
func (p *Provider) SignsIn(person Person) { p.set(func() { p.person = person }) }

// Does sets the provider's faults.
func (p *Provider) Does(f Faults) { p.set(func() { p.faults = f }) }

// Asks makes the provider show a sign-in form that asks for the user's e-mail address. It accepts every address as
// verified.
func (p *Provider) Asks() { p.set(func() { p.asks = true }) }

// SetClock sets the provider's clock.
func (p *Provider) SetClock(now func() time.Time) { p.set(func() { p.now = now }) }

// Served returns the number of requests to a path.
func (p *Provider) Served(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.served[path]
}

func (p *Provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *Provider) state() (Person, Faults, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.person, p.faults, p.now()
}

// faulty fails requests as the faults say.
func (p *Provider) faulty(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.set(func() { p.served[r.URL.Path]++ })
		_, f, _ := p.state()
		switch {
		case f.Hang:
			select {
			case <-r.Context().Done():
			case <-p.closed:
			}
		case f.Broken, f.NoKeys && r.URL.Path == "/keys":
			http.Error(w, "broken", http.StatusInternalServerError)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// discovery serves the configuration (OpenID Connect Discovery 1.0, section 4).
func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer":                                p.Issuer(),
		"authorization_endpoint":                p.Issuer() + "/authorize",
		"token_endpoint":                        p.Issuer() + "/token",
		"userinfo_endpoint":                     p.Issuer() + "/userinfo",
		"jwks_uri":                              p.Issuer() + "/keys",
		"response_types_supported":              []string{"code"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256", "ES256", "HS256", "none"},
	})
}

// keys serves the JWK set (RFC 7517).
func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	x, y := p.ecdsa.X.FillBytes(make([]byte, 32)), p.ecdsa.Y.FillBytes(make([]byte, 32))
	answer(w, http.StatusOK, map[string]any{"keys": []map[string]any{
		{"kty": "RSA", "kid": "RS256", "alg": "RS256", "use": "sig", "n": coded(p.rsa.N.Bytes()), "e": coded(big.NewInt(int64(p.rsa.E)).Bytes())},
		{"kty": "EC", "kid": "ES256", "alg": "ES256", "use": "sig", "crv": "P-256", "x": coded(x), "y": coded(y)},
	}})
}

// authorize serves the authorization endpoint (OpenID Connect Core 1.0, section 3.1.2).
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	redirect, err := url.Parse(q.Get("redirect_uri"))
	known := err == nil && q.Get("client_id") == p.ClientID && (p.Redirect == "" || q.Get("redirect_uri") == p.Redirect)
	if !known || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" ||
		q.Get("nonce") == "" || q.Get("scope") != "openid email profile" {
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	person, f, _ := p.state()
	p.mu.Lock()
	asks := p.asks
	p.mu.Unlock()
	if asks && r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
		return
	}
	if email := r.PostFormValue("email"); asks {
		person = Person{
			Subject:  "of " + email,
			Email:    email,
			Verified: true,
			Name:     email,
		}
	}
	back := url.Values{"state": {q.Get("state")}, "iss": {p.Issuer()}}
	if f.State != "" {
		back.Set("state", f.State)
	}
	if f.From != "" {
		back.Set("iss", f.From)
	}
	if f.Denied {
		back.Set("error", "access_denied")
	} else {
		code := rand.Text()
		p.set(func() { p.codes[code] = grant{person, q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")} })
		back.Set("code", code)
	}
	redirect.RawQuery = back.Encode()
	http.Redirect(w, r, redirect.String(), http.StatusSeeOther)
}

const page = `<!doctype html><html lang=en><title>Example ID</title><h1>Example ID</h1>
<form method=post><label>E-mail at Example ID <input name=email></label> <button>Continue</button></form>`

// token serves the token endpoint. A code is valid once, and only with its verifier.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	id, errID := url.QueryUnescape(id) // RFC 6749, section 2.3.1
	secret, errSecret := url.QueryUnescape(secret)
	if errID != nil || errSecret != nil || id != p.ClientID || subtle.ConstantTimeCompare([]byte(secret), []byte(p.ClientSecret)) != 1 {
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	code := r.PostFormValue("code")
	p.mu.Lock()
	g, known := p.codes[code]
	delete(p.codes, code)
	p.mu.Unlock()
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || g.redirect != r.PostFormValue("redirect_uri") || g.challenge != coded(challenge[:]) {
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	token, err := p.idToken(g)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	access := rand.Text()
	p.set(func() { p.tokens[access] = g.person })
	answer(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": token})
}

// idToken returns an ID token (OpenID Connect Core 1.0, section 2).
func (p *Provider) idToken(g grant) (string, error) {
	_, f, now := p.state()
	claims := map[string]any{
		"iss":            p.Issuer(),
		"sub":            g.person.Subject,
		"aud":            p.ClientID,
		"exp":            now.Add(5 * time.Minute).Unix(),
		"iat":            now.Unix(),
		"nonce":          g.nonce,
		"email":          g.person.Email,
		"email_verified": g.person.Verified,
		"name":           g.person.Name,
	}
	if f.NoEmail {
		delete(claims, "email")
		delete(claims, "email_verified")
	}
	maps.Copy(claims, f.Claims)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	return p.sign(claims, f)
}

// sign returns a JWS of claims (RFC 7515, section 3.1).
func (p *Provider) sign(claims map[string]any, f Faults) (string, error) {
	algorithm := f.Algorithm
	if algorithm == "" {
		algorithm = "RS256"
	}
	head, err := json.Marshal(map[string]string{"alg": algorithm, "kid": algorithm, "typ": "JWT"})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	input := coded(head) + "." + coded(body)
	signature, err := p.signature(algorithm, f.Stranger, []byte(input))
	return input + "." + coded(signature), err
}

// userInfo serves the UserInfo endpoint (OpenID Connect Core 1.0, section 5.3).
func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) {
	_, f, _ := p.state()
	p.mu.Lock()
	person, known := p.tokens[bearer(r)]
	p.mu.Unlock()
	if !known {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if f.Other != "" {
		person.Subject = f.Other
	}
	answer(w, http.StatusOK, map[string]any{"sub": person.Subject, "email": person.Email, "email_verified": person.Verified, "name": person.Name})
}

func bearer(r *http.Request) string {
	const scheme = "Bearer "
	header := r.Header.Get("Authorization")
	if len(header) < len(scheme) {
		return ""
	}
	return header[len(scheme):]
}

func coded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// signature signs with an algorithm (RFC 7518, section 3), by the provider's key or, if stranger is set, by an unknown
// one.
func (p *Provider) signature(algorithm string, stranger bool, input []byte) ([]byte, error) {
	digest := sha256.Sum256(input)
	switch algorithm {
	case "none":
		return nil, nil
	case "HS256":
		mac := hmac.New(sha256.New, []byte(p.ClientSecret))
		mac.Write(input)
		return mac.Sum(nil), nil
	case "ES256":
		r, s, err := ecdsa.Sign(rand.Reader, p.ecdsa, digest[:])
		if err != nil {
			return nil, err
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...), nil
	}
	key := p.rsa
	if stranger {
		var err error
		if key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			return nil, err
		}
	}
	return rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
}
