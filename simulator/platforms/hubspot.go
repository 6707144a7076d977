package platforms

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// hubspot is a CRM: its contacts are the shop's customers and its deals the orders.
type hubspot struct {
	*side
	*shop
	consents

	mu      sync.Mutex
	access  map[string]grant // by access token
	refresh map[string]grant // by refresh token
	limits  window
	search  window
}

type grant struct {
	scope, refresh string
	expires        time.Time
}

const hubID = 62515

func openHubSpot(p *Platforms) *hubspot {
	s := &shop{config: p.config, stream: 3, unit: time.Millisecond}
	s.config.Products = 0
	h := &hubspot{shop: s, access: map[string]grant{}, refresh: map[string]grant{}}
	h.limits = window{span: 10 * time.Second, limit: p.config.HubSpotPer10s}
	h.search = window{span: time.Second, limit: 5}
	h.side = p.side(HubSpot, s, hubspotError)
	s.name = func(topic string, c Changed) string { return hubspotID(resourceOf(topic), c.index) }
	h.routeConsent("/oauth/authorize", "HubSpot", "Tarn & Tundra CRM", h.approve)
	h.route("POST", "/oauth/v1/token", "token", h.token)
	h.route("GET", "/oauth/v1/access-tokens/{token}", "account", h.about)
	h.route("DELETE", "/oauth/v1/refresh-tokens/{token}", "token", h.forget)
	for _, object := range []string{"contacts", "deals"} {
		h.route("GET", "/crm/v3/objects/"+object, object, h.granted(false, func(c *call) answer { return h.list(c, object) }))
		h.route("GET", "/crm/v3/objects/"+object+"/{id}", object, h.granted(false, func(c *call) answer { return h.one(c, object) }))
		h.route("POST", "/crm/v3/objects/"+object+"/search", object, h.granted(true, func(c *call) answer { return h.find(c, object) }))
	}
	return h
}

func hubspotError(status int, text string) any {
	shown := map[string]any{"status": "error", "message": text, "correlationId": deliveryID(), "category": "VALIDATION_ERROR"}
	switch status {
	case http.StatusUnauthorized:
		shown["category"] = "INVALID_AUTHENTICATION"
	case http.StatusNotFound:
		shown["category"] = "OBJECT_NOT_FOUND"
	case http.StatusTooManyRequests:
		shown["category"], shown["errorType"], shown["policyName"] = "RATE_LIMITS", "RATE_LIMIT", "TEN_SECONDLY_ROLLING"
	case http.StatusInternalServerError:
		shown["category"] = "INTERNAL_ERROR"
	}
	return shown
}

func (h *hubspot) approve(c *call, made consent) url.Values {
	back := url.Values{"code": {h.give(made)}}
	if state := c.URL.Query().Get("state"); state != "" {
		back.Set("state", state)
	}
	return back
}

// badToken is how HubSpot's token endpoint refuses.
func badToken(status, text string) answer {
	return answer{status: http.StatusBadRequest, body: map[string]any{"status": status, "message": text, "correlationId": deliveryID()}}
}

func (h *hubspot) token(c *call) answer {
	form, err := url.ParseQuery(string(c.body))
	if err != nil || !strings.HasPrefix(c.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return badToken("BAD_REQUEST", "the body must be a form")
	}
	if form.Get("client_id") != h.p.config.ClientID || form.Get("client_secret") != h.p.config.ClientSecret {
		return badToken("BAD_CLIENT_ID", "missing or unknown client id or secret")
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		made, good := h.take(form.Get("code"), h.p.config.Now())
		switch {
		case !good || made.client != form.Get("client_id"):
			return badToken("BAD_AUTH_CODE", "missing or unknown auth code")
		case made.redirect != form.Get("redirect_uri"):
			return badToken("MISMATCH_REDIRECT_URI_AUTH_CODE", "redirect URI does not match the one used for the code")
		case !made.proves(form.Get("code_verifier")):
			return badToken("BAD_CODE_VERIFIER", "the code_verifier does not match the code_challenge")
		}
		return h.issue(grant{scope: made.scope, refresh: "rt-" + randomText(24)})
	case "refresh_token":
		h.mu.Lock()
		held, known := h.refresh[form.Get("refresh_token")]
		h.mu.Unlock()
		if !known {
			return badToken("BAD_REFRESH_TOKEN", "missing or invalid refresh token")
		}
		return h.issue(held)
	}
	return badToken("BAD_GRANT_TYPE", "missing or unknown grant type")
}

// issue makes an access token. The refresh token stays the same, and earlier access tokens live on.
func (h *hubspot) issue(g grant) answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	life := h.p.config.HubSpotLife
	g.expires = h.p.config.Now().Add(life)
	access := "at-" + randomText(32)
	h.access[access], h.refresh[g.refresh] = g, g
	return ok(map[string]any{
		"token_type": "bearer", "access_token": access, "refresh_token": g.refresh, "expires_in": int(life / time.Second),
	})
}

// held is what a token stands for.
func (h *hubspot) held(token string) (g grant, known, fresh bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, known = h.access[token]
	return g, known, known && h.p.config.Now().Before(g.expires)
}

func (h *hubspot) about(c *call) answer {
	token := c.PathValue("token")
	g, _, fresh := h.held(token)
	if !fresh {
		return h.refuse(http.StatusNotFound, "the token is unknown or expired")
	}
	return ok(map[string]any{
		"token": token, "user": "ada@tarn.example.com", "hub_domain": "tarn-and-tundra.example.com", "hub_id": hubID, "app_id": 4242, "user_id": 77,
		"scopes": strings.Fields(g.scope), "expires_in": int(g.expires.Sub(h.p.config.Now()) / time.Second), "token_type": "access",
	})
}

func (h *hubspot) forget(c *call) answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	refresh := c.PathValue("token")
	if _, known := h.refresh[refresh]; !known {
		return answer{status: http.StatusNotFound, body: hubspotError(http.StatusNotFound, "the refresh token is unknown")}
	}
	delete(h.refresh, refresh)
	for token, g := range h.access {
		if g.refresh == refresh {
			delete(h.access, token)
		}
	}
	return answer{status: http.StatusNoContent}
}

// revoke ends every token, as a merchant who removes the app does.
func (h *hubspot) revoke() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.access)
	clear(h.refresh)
}

// expire ends the access tokens; they can be refreshed.
func (h *hubspot) expire() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for token, g := range h.access {
		g.expires = h.p.config.Now()
		h.access[token] = g
	}
}

func (h *hubspot) granted(search bool, handle func(*call) answer) func(*call) answer {
	return func(c *call) answer {
		token, _ := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
		_, known, fresh := h.held(token)
		if !fresh {
			a := h.refuse(http.StatusUnauthorized, "Authentication credentials not found or expired.")
			if known {
				a.body.(map[string]any)["category"] = "EXPIRED_AUTHENTICATION"
			}
			return a
		}
		if a, over := h.limited(search); over {
			return a
		}
		return handle(c)
	}
}

func (h *hubspot) limited(search bool) (answer, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.p.config.Now()
	limit := &h.limits
	if search {
		limit = &h.search
	}
	fits, _, ends := limit.take(now)
	if fits {
		return answer{}, false
	}
	a := h.refuse(http.StatusTooManyRequests, "You have reached your limit of requests.")
	return a.with("Retry-After", seconds(ends)).with("X-HubSpot-RateLimit-Max", strconv.Itoa(limit.limit)).with("X-HubSpot-RateLimit-Remaining", "0"), true
}

func (h *hubspot) list(c *call, object string) answer {
	limit, after := c.number("limit", 10), c.number("after", 0)
	if limit < 1 || limit > 100 || after < 0 {
		return h.refuse(http.StatusBadRequest, "limit must be 1 to 100, and after a cursor of ours")
	}
	var names []string
	for _, value := range c.URL.Query()["properties"] {
		names = append(names, strings.Split(value, ",")...)
	}
	results, next := []any{}, -1
	h.read(func(w *world) {
		n, will := h.extent(object)
		var found []int
		found, next = page(n, after-1, limit, will)
		for _, i := range found {
			results = append(results, h.show(object, i, names))
		}
	})
	return ok(h.paged(c, map[string]any{"results": results}, next+1, after))
}

// paged adds what follows; an after is a position here.
func (h *hubspot) paged(c *call, body map[string]any, next, asked int) map[string]any {
	if c.fault.Kind == circle {
		next = max(asked, 1)
	}
	if next <= 0 {
		return body
	}
	link := *c.URL
	q := link.Query()
	q.Set("after", strconv.Itoa(next))
	link.RawQuery = q.Encode()
	body["paging"] = map[string]any{"next": map[string]any{"after": strconv.Itoa(next), "link": h.p.url("", c.Request) + link.Path[1:] + "?" + link.RawQuery}}
	return body
}

func (h *hubspot) one(c *call, object string) answer {
	names := strings.Split(c.URL.Query().Get("properties"), ",")
	a := h.refuse(http.StatusNotFound, "resource not found")
	h.read(func(*world) {
		n, will := h.extent(object)
		for i := range n {
			if will(i) && hubspotID(object, i) == c.PathValue("id") {
				a = ok(h.show(object, i, names))
				return
			}
		}
	})
	return a
}

func readJSON(body []byte, into any) bool { return json.Unmarshal(body, into) == nil }
