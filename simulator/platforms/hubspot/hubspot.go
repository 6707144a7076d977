// Package hubspot is the look-alike of HubSpot: OAuth, listing and searching of contacts and deals, and writing of deals.
// Data and faults are those of package host.
//
// It serves only the dated versions of the API. Earlier versions get 404, as they will once HubSpot removes them: the v1
// OAuth API on 16 February 2027 (developers.hubspot.com/changelog, "v1 OAuth API deprecation"), v1 to v3 of the others in
// September 2027 (developers.hubspot.com/docs/developer-tooling/platform/versioning, read in November 2026).
package hubspot

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// Platform is a CRM. Its contacts are the shop's customers, its deals the orders.
type Platform struct {
	*host.Side
	*host.Shop
	host.Consents

	mu      sync.Mutex
	access  map[string]grant // by access token
	refresh map[string]grant // by refresh token
	limits  host.Window
	search  host.Window

	// protected by the shop's lock
	defined map[string]definition // properties of deals
	deals   map[int]*written      // by the position of the deal
}

type grant struct {
	scope, refresh string
	expires        time.Time
}

const hubID = 62515

const (
	// oauthPath is documented at developers.hubspot.com/docs/api-reference/latest/authentication/oauth-tokens (11 May
	// 2026).
	oauthPath = "/oauth/2026-03/token"
	// objectsPath has the API version that is current since September 2026.
	objectsPath = "/crm/objects/2026-09/"
)

// Open adds the platform to the host.
func Open(p *host.Host) *Platform {
	s := &host.Shop{
		Config: p.Config,
		Stream: 3,
		Unit:   time.Millisecond,
	}
	s.Config.Products = 0
	h := &Platform{
		Shop:    s,
		access:  map[string]grant{},
		refresh: map[string]grant{},
		defined: map[string]definition{},
		deals:   map[int]*written{},
	}
	h.limits = host.Window{Span: 10 * time.Second, Limit: p.Config.HubSpotPer10s}
	h.search = host.Window{Span: time.Second, Limit: 5}
	h.Side = p.Side(host.HubSpot, s, hubspotError)
	s.Name = func(topic string, c host.Changed) string { return hubspotID(host.ResourceOf(topic), c.Index) }
	h.RouteConsent("/oauth/authorize", "HubSpot", "Tarn & Tundra CRM", h.approve)
	h.Route("POST", oauthPath, "token", h.token)
	h.Route("POST", oauthPath+"/introspect", "account", h.introspect)
	for _, object := range []string{"contacts", "deals"} {
		h.Route("GET", objectsPath+object, object, h.granted(false, func(c *host.Call) host.Answer { return h.list(c, object) }))
		h.Route("GET", objectsPath+object+"/{id}", object, h.granted(false, func(c *host.Call) host.Answer { return h.one(c, object) }))
		h.Route("POST", objectsPath+object+"/search", object, h.granted(true, func(c *host.Call) host.Answer { return h.find(c, object) }))
	}
	h.Route("GET", propertiesPath+"/{name}", "properties", h.scoped(h.property, "crm.objects.deals.read", "crm.schemas.deals.read"))
	h.Route("POST", propertiesPath, "property_create", h.scoped(h.define, "crm.schemas.deals.write"))
	h.Route("GET", pipelinesPath, "pipelines", h.scoped(func(*host.Call) host.Answer {
		return host.OK(map[string]any{"results": h.pipelines()})
	}, "crm.objects.deals.read", "crm.schemas.deals.read"))
	h.Route("POST", objectsPath+"deals/batch/upsert", "deal_upsert", h.scoped(h.upsert, "crm.objects.deals.write"))
	h.Route("PATCH", objectsPath+"deals/{id}", "deal_update", h.scoped(h.update, "crm.objects.deals.write"))
	h.Route("POST", objectsPath+"contacts", "contact_create", h.scoped(h.createContact, "crm.objects.contacts.write"))
	h.Route("PUT", objectsPath+"deals/{id}/associations/default/contacts/{contact}", "associations", h.scoped(h.associate, "crm.objects.deals.write"))
	h.Route("DELETE", objectsPath+"deals/{id}/associations/contacts/{contact}", "associations", h.scoped(h.dissociate, "crm.objects.deals.write"))
	h.Route("POST", objectsPath+"contacts/batch/read", "contacts", h.scoped(h.readContacts, "crm.objects.contacts.read"))
	return h
}

func hubspotError(status int, text string) any {
	shown := map[string]any{"status": "error", "message": text, "correlationId": host.DeliveryID(), "category": "VALIDATION_ERROR"}
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

func (h *Platform) approve(c *host.Call, made host.Consent) url.Values {
	// "optional_scope": "an optional permission … will be dropped from the authorization request if the user selects a
	// HubSpot account that does not have access" (docs/api/working-with-oauth, "Query parameters", read on 29 November
	// 2026).
	for _, scope := range strings.Fields(c.URL.Query().Get("optional_scope")) {
		if !slices.Contains(h.Host.Config.HubSpotDenied, scope) {
			made.Scope += " " + scope
		}
	}
	back := url.Values{"code": {h.Give(made)}}
	if state := c.URL.Query().Get("state"); state != "" {
		back.Set("state", state)
	}
	return back
}

// badToken is an error of HubSpot's token endpoint.
func badToken(status, text string) host.Answer {
	return host.Answer{Status: http.StatusBadRequest, Body: map[string]any{"status": status, "message": text, "correlationId": host.DeliveryID()}}
}

// form decodes the form body of a server-to-server request. It refuses parameters in the query ("require that parameters
// are included in the request body", auth-oauth-v3/guide).
func (h *Platform) form(c *host.Call) (url.Values, host.Answer) {
	form, err := url.ParseQuery(string(c.Content))
	if err != nil || c.URL.RawQuery != "" || !strings.HasPrefix(c.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return nil, badToken("BAD_REQUEST", "the body must be a form, and the query empty")
	}
	if form.Get("client_id") != h.Host.Config.ClientID || form.Get("client_secret") != h.Host.Config.ClientSecret {
		return nil, badToken("BAD_CLIENT_ID", "missing or unknown client id or secret")
	}
	return form, host.Answer{}
}

func (h *Platform) token(c *host.Call) host.Answer {
	form, refused := h.form(c)
	if form == nil {
		return refused
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		made, good := h.Take(form.Get("code"), h.Host.Config.Now())
		switch {
		case !good || made.Client != form.Get("client_id"):
			return badToken("BAD_AUTH_CODE", "missing or unknown auth code")
		case made.Redirect != form.Get("redirect_uri"):
			return badToken("MISMATCH_REDIRECT_URI_AUTH_CODE", "redirect URI does not match the one used for the code")
		case !made.Proves(form.Get("code_verifier")):
			return badToken("BAD_CODE_VERIFIER", "the code_verifier does not match the code_challenge")
		}
		return h.issue(grant{scope: made.Scope, refresh: "rt-" + host.RandomText(24)})
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

// issue creates an access token. The refresh token stays the same, and earlier access tokens remain valid.
func (h *Platform) issue(g grant) host.Answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	life := h.Host.Config.HubSpotLife
	g.expires = h.Host.Config.Now().Add(life)
	access := "at-" + host.RandomText(32)
	h.access[access], h.refresh[g.refresh] = g, g
	return host.OK(map[string]any{
		"token_type": "bearer", "access_token": access, "refresh_token": g.refresh, "expires_in": int(life / time.Second),
	})
}

// findGrant returns the grant of a token, and whether the token is known and not expired.
func (h *Platform) findGrant(token string) (g grant, known, fresh bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, known = h.access[token]
	return g, known, known && h.Host.Config.Now().Before(g.expires)
}

// introspect describes an access token. HubSpot does not document the answer for an unknown or expired token. It is that
// of RFC 7662 here: active: false and nothing else.
func (h *Platform) introspect(c *host.Call) host.Answer {
	form, refused := h.form(c)
	if form == nil {
		return refused
	}
	token := form.Get("token")
	g, _, fresh := h.findGrant(token)
	if !fresh {
		return host.OK(map[string]any{"active": false})
	}
	return host.OK(map[string]any{
		"token_use": "access_token", "active": true, "token": token, "user": "ada@tarn.example.com", "hub_domain": "tarn-and-tundra.example.com",
		"hub_id": hubID, "app_id": 4242, "user_id": 77, "client_id": form.Get("client_id"), "is_private_distribution": false,
		"scopes": strings.Fields(g.scope), "expires_in": int(g.expires.Sub(h.Host.Config.Now()) / time.Second), "token_type": "bearer",
	})
}

// Revoke revokes all tokens, as when a merchant removes the app.
func (h *Platform) Revoke() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.access)
	clear(h.refresh)
}

// Expire expires the access tokens. They can be refreshed.
func (h *Platform) Expire() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for token, g := range h.access {
		g.expires = h.Host.Config.Now()
		h.access[token] = g
	}
}

func (h *Platform) granted(search bool, handle func(*host.Call) host.Answer) func(*host.Call) host.Answer {
	return func(c *host.Call) host.Answer {
		token, _ := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
		_, known, fresh := h.findGrant(token)
		if !fresh {
			a := h.Refuse(http.StatusUnauthorized, "Authentication credentials not found or expired.")
			if known {
				a.Body.(map[string]any)["category"] = "EXPIRED_AUTHENTICATION"
			}
			return a
		}
		if a, over := h.limited(search); over {
			return a
		}
		return handle(c)
	}
}

func (h *Platform) limited(search bool) (host.Answer, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Host.Config.Now()
	limit := &h.limits
	if search {
		limit = &h.search
	}
	fits, _, ends := limit.Take(now)
	if fits {
		return host.Answer{}, false
	}
	a := h.Refuse(http.StatusTooManyRequests, "You have reached your limit of requests.")
	return a.With("Retry-After", host.Seconds(ends)).With("X-HubSpot-RateLimit-Max", strconv.Itoa(limit.Limit)).With("X-HubSpot-RateLimit-Remaining", "0"), true
}

func (h *Platform) list(c *host.Call, object string) host.Answer {
	limit, after := c.Number("limit", 10), c.Number("after", 0)
	if limit < 1 || limit > 100 || after < 0 {
		return h.Refuse(http.StatusBadRequest, "limit must be 1 to 100, and after a cursor of ours")
	}
	var names []string
	for _, value := range c.URL.Query()["properties"] {
		names = append(names, strings.Split(value, ",")...)
	}
	results, next := []any{}, -1
	h.Read(func(w *host.World) {
		n, will := h.extent(object)
		var found []int
		found, next = host.Page(n, after-1, limit, will)
		for _, i := range found {
			results = append(results, h.show(object, i, names))
		}
	})
	return host.OK(h.paged(c, map[string]any{"results": results}, next+1, after))
}

// paged adds the link to the next page. An after is a position here.
func (h *Platform) paged(c *host.Call, body map[string]any, next, asked int) map[string]any {
	if c.Fault.Kind == host.Circle {
		next = max(asked, 1)
	}
	if next <= 0 {
		return body
	}
	link := *c.URL
	q := link.Query()
	q.Set("after", strconv.Itoa(next))
	link.RawQuery = q.Encode()
	body["paging"] = map[string]any{"next": map[string]any{"after": strconv.Itoa(next), "link": h.Host.Address("", c.Request) + link.Path[1:] + "?" + link.RawQuery}}
	return body
}

// one reads a record by its id, or by the value of the property idProperty.
func (h *Platform) one(c *host.Call, object string) host.Answer {
	names, property := strings.Split(c.URL.Query().Get("properties"), ","), c.URL.Query().Get("idProperty")
	a := h.Refuse(http.StatusNotFound, "resource not found")
	h.Read(func(*host.World) {
		n, there := 0, false
		switch {
		case object == "deals":
			n, there = h.dealBy(property, c.PathValue("id"))
		case property == "email":
			n, there = h.contactBy(c.PathValue("id"))
		default:
			count, will := h.extent(object)
			for i := range count {
				if will(i) && hubspotID(object, i) == c.PathValue("id") {
					n, there = i, true
				}
			}
		}
		if there {
			a = host.OK(h.show(object, n, names))
		}
	})
	return a
}
