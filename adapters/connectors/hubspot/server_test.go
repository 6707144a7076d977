package hubspot_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	clientID     = "app-id"
	clientSecret = "app-secret-0123456789"
)

// fakeHubSpot has the parts of HubSpot's API that the connector uses.
type fakeHubSpot struct {
	mu      sync.Mutex
	objects map[string][]crmObject // by kind, in the order of their ids
	codes   map[string]consent     // that are not redeemed yet
	access  map[string]bool
	refresh map[string]bool
	rotate  bool   // refresh tokens are good once
	circle  bool   // pages lead to the first one
	strict  bool   // an invalid token is refused by the status
	answer  string // if set, the body of every page
	scopes  []string
	issued  int
	queries []query
}

type crmObject struct {
	id         int
	modified   time.Time
	properties map[string]any
}

type consent struct{ challenge, redirect string }

type query struct {
	Groups []struct {
		Filters []struct{ PropertyName, Operator, Value string }
	} `json:"filterGroups"`
	Sorts      []struct{ PropertyName, Direction string }
	Properties []string
	Limit      int
	After      string
}

func newFakeHubSpot() *fakeHubSpot {
	return &fakeHubSpot{
		objects: map[string][]crmObject{},
		codes:   map[string]consent{},
		access:  map[string]bool{},
		refresh: map[string]bool{},
	}
}

func (h *fakeHubSpot) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /oauth/2026-03/token", h.token)
	mux.HandleFunc("POST /oauth/2026-03/token/introspect", h.introspect)
	mux.HandleFunc("GET /crm/objects/2026-09/{kind}", h.list)
	mux.HandleFunc("POST /crm/objects/2026-09/{kind}/search", h.search)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if strings.HasPrefix(r.URL.Path, "/crm/") && !h.access[bearer] {
			respond(w, http.StatusUnauthorized, map[string]any{"category": "EXPIRED_AUTHENTICATION"})
			return
		}
		if strings.HasPrefix(r.URL.Path, "/crm/") && h.answer != "" {
			_, _ = w.Write([]byte(h.answer))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// introspect refuses a token by a status (h.strict) or in the body: HubSpot does not document which.
func (h *fakeHubSpot) introspect(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	token := r.PostForm.Get("token")
	switch {
	case r.PostForm.Get("client_id") != clientID || r.PostForm.Get("client_secret") != clientSecret || r.URL.RawQuery != "":
		respond(w, http.StatusBadRequest, map[string]any{"status": "BAD_CLIENT_ID"})
	case h.access[token]:
		respond(w, http.StatusOK, map[string]any{"active": true, "token_use": "access_token", "hub_id": 62515, "hub_domain": "acme.example", "token": token, "scopes": h.scopes})
	case h.strict:
		respond(w, http.StatusBadRequest, map[string]any{"category": "VALIDATION_ERROR", "message": "invalid: " + token})
	default:
		respond(w, http.StatusOK, map[string]any{"active": false, "token": token, "hub_id": 62515})
	}
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (t crmObject) shown(properties []string, modified string) map[string]any {
	readAll := map[string]any{modified: t.modified.Format(time.RFC3339Nano), "hs_object_id": strconv.Itoa(t.id)}
	for _, name := range properties {
		if value, there := t.properties[name]; there {
			readAll[name] = value
		}
	}
	return map[string]any{"id": strconv.Itoa(t.id), "properties": readAll, "updatedAt": t.modified.Format(time.RFC3339Nano), "archived": false}
}

func modifiedOf(kind string) string {
	return map[string]string{"contacts": "lastmodifieddate", "deals": "hs_lastmodifieddate"}[kind]
}

func (h *fakeHubSpot) list(w http.ResponseWriter, r *http.Request) {
	q, kind := r.URL.Query(), r.PathValue("kind")
	limit, _ := strconv.Atoi(q.Get("limit"))
	if limit < 1 || limit > 100 {
		respond(w, http.StatusBadRequest, map[string]any{"category": "VALIDATION_ERROR"})
		return
	}
	after, _ := strconv.Atoi(q.Get("after"))
	body, results := map[string]any{}, []any{}
	for _, t := range h.objects[kind] {
		if t.id < after {
			continue
		}
		if len(results) == limit {
			next := strconv.Itoa(t.id)
			if h.circle {
				next = "0"
			}
			body["paging"] = map[string]any{"next": map[string]any{"after": next, "link": "https://api.hubapi.com/next"}}
			break
		}
		results = append(results, t.shown(strings.Split(q.Get("properties"), ","), modifiedOf(kind)))
	}
	body["results"] = results
	respond(w, http.StatusOK, body)
}

func (h *fakeHubSpot) search(w http.ResponseWriter, r *http.Request) {
	var q query
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Limit < 1 || q.Limit > 200 || len(q.Sorts) > 1 || len(q.Groups) != 1 {
		respond(w, http.StatusBadRequest, map[string]any{"category": "VALIDATION_ERROR"})
		return
	}
	h.queries = append(h.queries, q)
	kind := r.PathValue("kind")
	after, _ := strconv.Atoi(q.After)
	if after+q.Limit > 10_000 {
		respond(w, http.StatusBadRequest, map[string]any{"category": "VALIDATION_ERROR"})
		return
	}
	var found []crmObject
	for _, t := range h.objects[kind] {
		if h.circle || q.matches(t, modifiedOf(kind)) {
			found = append(found, t)
		}
	}
	switch {
	case len(q.Sorts) == 0 || q.Sorts[0].Direction != "ASCENDING":
		slices.Reverse(found)
	case q.Sorts[0].PropertyName == modifiedOf(kind):
		slices.SortStableFunc(found, func(a, b crmObject) int { return a.modified.Compare(b.modified) })
	}
	results := []any{}
	for _, t := range found[min(after, len(found)):min(after+q.Limit, len(found))] {
		results = append(results, t.shown(q.Properties, modifiedOf(kind)))
	}
	body := map[string]any{"total": len(found), "results": results}
	if after+q.Limit < len(found) {
		body["paging"] = map[string]any{"next": map[string]any{"after": strconv.Itoa(after + q.Limit)}}
	}
	respond(w, http.StatusOK, body)
}

func (q query) matches(t crmObject, modified string) bool {
	for _, f := range q.Groups[0].Filters {
		have := int64(t.id)
		switch f.PropertyName {
		case modified:
			have = t.modified.UnixMilli()
		case "hs_object_id":
		default:
			return false
		}
		want, err := strconv.ParseInt(f.Value, 10, 64)
		good := err == nil && (f.Operator == "GT" && have > want || f.Operator == "GTE" && have >= want || f.Operator == "LTE" && have <= want)
		if !good {
			return false
		}
	}
	return true
}

func (h *fakeHubSpot) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	refuse := func(status string) {
		respond(w, http.StatusBadRequest, map[string]any{"status": status, "message": "bad: " + r.Form.Encode()})
	}
	if r.Form.Get("client_id") != clientID || r.Form.Get("client_secret") != clientSecret {
		refuse("BAD_CLIENT_ID")
		return
	}
	refresh := r.Form.Get("refresh_token")
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		given, there := h.codes[r.Form.Get("code")]
		proof := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if !there || given.redirect != r.Form.Get("redirect_uri") || given.challenge != base64.RawURLEncoding.EncodeToString(proof[:]) {
			refuse("BAD_AUTH_CODE")
			return
		}
		delete(h.codes, r.Form.Get("code"))
	case "refresh_token":
		if !h.refresh[refresh] {
			refuse("BAD_REFRESH_TOKEN")
			return
		}
	default:
		refuse("BAD_GRANT_TYPE")
		return
	}
	respond(w, http.StatusOK, h.issue(refresh))
}

func (h *fakeHubSpot) issue(refresh string) map[string]any {
	h.issued++
	answer := map[string]any{"access_token": fmt.Sprintf("access-%d-secret", h.issued), "expires_in": 1800, "token_type": "bearer"}
	h.access[answer["access_token"].(string)] = true
	if refresh == "" || h.rotate {
		delete(h.refresh, refresh)
		answer["refresh_token"] = fmt.Sprintf("refresh-%d-secret", h.issued)
		h.refresh[answer["refresh_token"].(string)] = true
	}
	return answer
}

// visit consents as a merchant does.
func (h *fakeHubSpot) visit(t *testing.T, address string) ports.CodeGrant {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	q := u.Query()
	if u.Path != "/oauth/authorize" || q.Get("client_id") != clientID || q.Get("code_challenge_method") != "S256" ||
		!strings.Contains(q.Get("scope"), "crm.objects.contacts.read") {
		t.Fatalf("nobody can consent at %s", address)
	}
	h.issued++
	code := fmt.Sprintf("code-%d-secret", h.issued)
	h.codes[code] = consent{q.Get("code_challenge"), q.Get("redirect_uri")}
	return ports.CodeGrant{
		Code:        code,
		RedirectURI: q.Get("redirect_uri"),
		State:       q.Get("state"),
	}
}

func (h *fakeHubSpot) fill(_ *testing.T, r syncrun.Resource, n int, since time.Time) (names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kind := map[syncrun.Resource]string{syncrun.Customers: "contacts", syncrun.Orders: "deals"}[r]
	h.objects[kind] = nil
	for i := range n {
		h.objects[kind] = append(h.objects[kind], crmObject{950 + i, since.Add(time.Duration(i) * time.Second), map[string]any{"dealname": "D", "email": "a@b.c"}})
		names = append(names, strconv.Itoa(950+i))
	}
	return names
}
