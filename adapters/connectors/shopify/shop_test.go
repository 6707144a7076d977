package shopify_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	clientID = "app-1"
	secret   = "shpss_very_secret"
	token    = "shpat_very_secret"
	store    = "acme.myshopify.com"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type fixed time.Time

// live is the time as it is.
type live struct{}

func (live) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func (f fixed) Now() time.Time { return time.Time(f) }

// record is a node of a connection, and when it was changed.
type record struct {
	at   time.Time
	node string
}

// shop is a shop at Shopify, as far as the connector talks to it.
type shop struct {
	mu        sync.Mutex
	url       string
	client    *http.Client        // nil: the usual one
	data      map[string][]record // by connection
	answers   map[string]func(variables map[string]any) (status int, body string)
	asked     []string // operations, with variables
	maxFirst  int      // records that a page may have without being too dear; 0: any number
	circle    bool
	locations string // the answer to a query for them
	total     string // the count of a listing, as its first page tells it; "": none; "refused": it may not be asked for
	file      []byte
	fileURL   string
	ranges    []string
	codes     map[string]bool
	hooks     map[string]string // id by topic and address
	made      int
}

func newShop() *shop {
	return &shop{
		locations: locations(7), data: map[string][]record{}, codes: map[string]bool{}, hooks: map[string]string{},
		answers: map[string]func(map[string]any) (int, string){},
	}
}

// open serves the shop to a connector.
func open(t *testing.T) (*shop, *shopify.Connector, ports.Connection) {
	t.Helper()
	s := newShop()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s, s.connector(), connection(t)
}

func (s *shop) connector() *shopify.Connector { return s.at(fixed(noon)) }

func (s *shop) at(clock ports.Clock) *shopify.Connector {
	return shopify.New(shopify.Config{
		URL: s.url + "/", ClientID: clientID, ClientSecret: secret, Clock: clock, Client: s.client,
	})
}

func connection(t *testing.T) ports.Connection {
	return ports.Connection{Key: t.Name(), Store: store, Credentials: integration.Credentials{Key: token}}
}

// on answers an operation.
func (s *shop) on(operation string, answer func(variables map[string]any) (int, string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[operation] = answer
}

func (s *shop) say(operation, data string) {
	s.on(operation, func(map[string]any) (int, string) { return 200, `{"data": ` + data + `}` })
}

func (s *shop) fail(operation, errors string) {
	s.on(operation, func(map[string]any) (int, string) { return 200, `{"errors": ` + errors + `}` })
}

func (s *shop) count(operation string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, asked := range s.asked {
		if strings.HasPrefix(asked, operation+" ") {
			n++
		}
	}
	return n
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/file/"):
		s.serveFile(w, r)
	case r.URL.Path == "/admin/oauth/access_token":
		s.exchange(w, r)
	case r.URL.Path == "/admin/api/"+shopify.Version+"/graphql.json" && r.Method == http.MethodPost:
		s.graphql(w, r)
	default:
		http.NotFound(w, r)
	}
}

var operationForm = regexp.MustCompile(`^(?:query|mutation) (\w+)`)

func (s *shop) graphql(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Query     string
		Variables map[string]any
	}
	if r.Header.Get("X-Shopify-Access-Token") != token || r.Header.Get("Content-Type") != "application/json" {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"errors": "[API] Invalid API key or access token (unrecognized login or wrong password)"}`)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	operation := operationForm.FindStringSubmatch(asked.Query)[1]
	variables, _ := json.Marshal(asked.Variables)
	s.mu.Lock()
	s.asked = append(s.asked, operation+" "+string(variables))
	answer, total := s.answers[operation], s.total
	s.mu.Unlock()
	counted := strings.Contains(asked.Query, "Count(query: $query, limit: null)")
	if counted && total == "refused" {
		fmt.Fprint(w, `{"errors": [{"message": "Access denied for ordersCount field.", "path": ["total"], "extensions": {"code": "ACCESS_DENIED"}}], "data": null}`)
		return
	}
	if answer == nil {
		answer = s.usual(operation)
	}
	status, body := answer(asked.Variables)
	if counted && total != "" {
		body = strings.Replace(body, `{"data": {`, `{"data": {"total": `+total+`, `, 1)
	}
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

func (s *shop) usual(operation string) func(map[string]any) (int, string) {
	connection := map[string]string{"Products": "products", "Levels": "inventoryLevels", "Orders": "orders", "Customers": "customers"}[operation]
	switch {
	case connection != "":
		return func(variables map[string]any) (int, string) { return s.page(connection, variables) }
	case operation == "Shop":
		return func(map[string]any) (int, string) {
			return 200, `{"data": {"shop": {"id": "gid://shopify/Shop/9007199254740993", "name": "Acme", "myshopifyDomain": "acme.myshopify.com", "currencyCode": "EUR"}}}`
		}
	case operation == "Locations":
		return func(map[string]any) (int, string) { return 200, s.locations }
	case operation == "WebhookCreate":
		return s.hook
	case operation == "WebhookDelete":
		return s.unhook
	case operation == "Webhooks" || operation == "Webhook":
		return s.listHooks
	}
	return func(map[string]any) (int, string) {
		return 200, `{"errors": [{"message": "Field '` + operation + `' doesn't exist", "extensions": {"code": "undefinedField"}}]}`
	}
}

var (
	sinceForm = regexp.MustCompile(`^updated_at:>='([^']*)'$`)
	aboveForm = regexp.MustCompile(`^(?:id|inventory_item_id):>(\d+)$`)
	idForm    = regexp.MustCompile(`"id": "gid://shopify/\w+/(\d+)"`)
)

// paged is how many objects of a connection Shopify pages through.
const paged = 25_000

// search does one term of a search.
func search(list []record, term string) []record {
	if match := aboveForm.FindStringSubmatch(term); match != nil {
		above, _ := strconv.Atoi(match[1])
		return slices.DeleteFunc(slices.Clone(list), func(r record) bool {
			id, _ := strconv.Atoi(idForm.FindStringSubmatch(r.node)[1])
			return id <= above
		})
	}
	since, err := time.Parse(time.RFC3339, sinceForm.FindStringSubmatch(term)[1])
	if err != nil {
		panic(err)
	}
	return slices.DeleteFunc(slices.Clone(list), func(r record) bool { return r.at.Before(since) })
}

// page answers a connection; its cursors are numbers.
func (s *shop) page(connection string, variables map[string]any) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := int(variables["first"].(float64))
	if s.maxFirst > 0 && first > s.maxFirst {
		cost, numbers := first*1000/s.maxFirst, ""
		if connection == "products" {
			numbers = fmt.Sprintf(`, "cost": %d, "maxCost": 1000`, cost)
		}
		return 200, fmt.Sprintf(`{"errors": [{"message": "Query cost is %d, which exceeds the single query max cost limit (1000).",
			"extensions": {"code": "MAX_COST_EXCEEDED"%s}}]}`, cost, numbers)
	}
	list := s.data[connection]
	if filter, ok := variables["query"].(string); ok {
		for term := range strings.SplitSeq(filter, " AND ") {
			list = search(list, term)
		}
	}
	at := 0
	if after, ok := variables["after"].(string); ok {
		at, _ = strconv.Atoi(after)
	}
	if at+first > paged && at < len(list) {
		return 200, `{"errors": [{"message": "Pagination is limited to 25,000 objects"}]}`
	}
	end := min(at+first, len(list))
	var nodes []string
	for _, r := range list[at:end] {
		nodes = append(nodes, r.node)
	}
	next := end
	if s.circle {
		next = 0
	}
	found := fmt.Sprintf(`{"%s": {"pageInfo": {"hasNextPage": %v, "endCursor": "%d"}, "nodes": [%s]}}`,
		connection, end < len(list), next, strings.Join(nodes, ","))
	if location, ok := variables["location"].(string); ok {
		if location != "gid://shopify/Location/7" {
			found = `{"inventoryLevels": {"pageInfo": {"hasNextPage": false}, "nodes": []}}`
		}
		found = `{"location": ` + found + `}`
	}
	return 200, `{"data": ` + found + `}`
}

func locations(ids ...int) string {
	var nodes []string
	for _, id := range ids {
		nodes = append(nodes, fmt.Sprintf(`{"id": "gid://shopify/Location/%d"}`, id))
	}
	return `{"data": {"locations": {"pageInfo": {"hasNextPage": false}, "nodes": [` + strings.Join(nodes, ",") + `]}}}`
}

// serveFile wants no secret.
func (s *shop) serveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	file, current := s.file, s.fileURL
	s.ranges = append(s.ranges, r.Header.Get("Range"))
	s.mu.Unlock()
	if r.Header.Get("X-Shopify-Access-Token") != "" || s.url+r.URL.String() != current {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
}

func (s *shop) exchange(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.FormValue("client_id") != clientID || r.FormValue("client_secret") != secret || !s.codes[r.FormValue("code")] {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": "invalid_request", "error_description": "The authorization code was not found or was already used"}`)
		return
	}
	delete(s.codes, r.FormValue("code"))
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token": "%s", "scope": "read_products"}`, token)
}

func (s *shop) hook(variables map[string]any) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprint(variables["topic"], " ", variables["uri"])
	if s.hooks[key] != "" {
		return 200, `{"data": {"webhookSubscriptionCreate": {"webhookSubscription": null, "userErrors": [
			{"field": ["webhookSubscription", "callbackUrl"], "message": "Address for this topic has already been taken"}]}}}`
	}
	s.made++
	s.hooks[key] = fmt.Sprint(s.made)
	return 200, fmt.Sprintf(`{"data": {"webhookSubscriptionCreate": {"webhookSubscription": {"id": "gid://shopify/WebhookSubscription/%d"}, "userErrors": []}}}`, s.made)
}

func (s *shop) unhook(variables map[string]any) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, id := range s.hooks {
		if "gid://shopify/WebhookSubscription/"+id == variables["id"] {
			delete(s.hooks, key)
			return 200, `{"data": {"webhookSubscriptionDelete": {"userErrors": []}}}`
		}
	}
	return 200, `{"data": {"webhookSubscriptionDelete": {"userErrors": [{"field": ["id"], "message": "Webhook subscription does not exist"}]}}}`
}

func (s *shop) listHooks(variables map[string]any) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := variables["id"]; ok {
		for _, there := range s.hooks {
			if "gid://shopify/WebhookSubscription/"+there == id {
				return 200, fmt.Sprintf(`{"data": {"node": {"id": %q}}}`, id)
			}
		}
		return 200, `{"data": {"node": null}}`
	}
	var nodes []string
	for _, key := range slices.Sorted(maps.Keys(s.hooks)) {
		topic, uri, _ := strings.Cut(key, " ")
		if topic == variables["topics"].([]any)[0] {
			nodes = append(nodes, fmt.Sprintf(`{"id": "gid://shopify/WebhookSubscription/%s", "uri": %q}`, s.hooks[key], uri))
		}
	}
	return 200, `{"data": {"webhookSubscriptions": {"pageInfo": {"hasNextPage": false}, "nodes": [` + strings.Join(nodes, ",") + `]}}}`
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// fill adds n records to a resource, and returns their names.
func (s *shop) fill(r syncrun.Resource, n int, since time.Time) (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range n {
		id, at := 9007199254740993+i, since.Add(time.Duration(i)*time.Second)
		switch r {
		case syncrun.Products:
			s.data["products"] = append(s.data["products"], record{at, productNode(id, at)})
			names = append(names, fmt.Sprint(id))
		case syncrun.Inventory:
			s.data["inventoryLevels"] = append(s.data["inventoryLevels"], record{at, levelNode(id, at)})
			names = append(names, fmt.Sprintf("%d:7", id))
		case syncrun.Orders:
			s.data["orders"] = append(s.data["orders"], record{at, fmt.Sprintf(`{"id": "gid://shopify/Order/%d", "name": "#%d", "updatedAt": %q}`, id, i, stamp(at))})
			names = append(names, fmt.Sprint(id))
		case syncrun.Customers:
			s.data["customers"] = append(s.data["customers"], record{at, fmt.Sprintf(`{"id": "gid://shopify/Customer/%d", "updatedAt": %q}`, id, stamp(at))})
			names = append(names, fmt.Sprint(id))
		}
	}
	return names
}

func productNode(id int, at time.Time) string {
	return fmt.Sprintf(`{"id": "gid://shopify/Product/%d", "handle": "p%d", "title": "P", "status": "ACTIVE", "publishedAt": "2026-01-01T00:00:00Z", "updatedAt": %q, "tags": [],
		"variants": {"pageInfo": {"hasNextPage": false}, "nodes": [{"id": "gid://shopify/ProductVariant/%d", "sku": "S%d", "price": "1.00",
		"selectedOptions": [{"name": "Title", "value": "Default Title"}], "inventoryItem": {"id": "gid://shopify/InventoryItem/%d"}}]},
		"media": {"nodes": []}}`, id, id, stamp(at), id, id, id)
}

func levelNode(item int, at time.Time) string {
	return fmt.Sprintf(`{"updatedAt": %q, "item": {"id": "gid://shopify/InventoryItem/%d", "sku": "S%d"}, "quantities": [{"name": "available", "quantity": 3}]}`,
		stamp(at), item, item)
}

func sign(text string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// call is a webhook's, signed.
func call(topic, delivery string, at time.Time, payload string) ports.Call {
	header := http.Header{}
	header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(sign(payload)))
	header.Set("X-Shopify-Webhook-Id", delivery)
	header.Set("X-Shopify-Topic", topic)
	header.Set("X-Shopify-Shop-Domain", store)
	header.Set("X-Shopify-Triggered-At", at.UTC().Format(time.RFC3339Nano))
	return ports.Call{Header: header.Get, Payload: []byte(payload), Now: time.Now()}
}

// callback is what Shopify sends a merchant back with.
func callback(code, state, shop string, at time.Time) url.Values {
	q := url.Values{
		"code": {code}, "state": {state}, "shop": {shop}, "host": {"YWRtaW4uc2hvcGlmeS5jb20vc3RvcmUvYWNtZQ"}, "timestamp": {fmt.Sprint(at.Unix())},
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(q)) {
		pairs = append(pairs, key+"="+q.Get(key))
	}
	q.Set("hmac", hex.EncodeToString(sign(strings.Join(pairs, "&"))))
	return q
}
