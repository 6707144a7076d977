package shopify_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
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

type fixedClock time.Time

// systemClock is the real time.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func (f fixedClock) Now() time.Time { return time.Time(f) }

// record is a node of a connection with its time of change.
type record struct {
	at   time.Time
	node string
}

// fakeShop has the parts of Shopify's API that the connector uses.
type fakeShop struct {
	mu        sync.Mutex
	url       string
	client    *http.Client        // nil: http.DefaultClient
	data      map[string][]record // by connection
	answers   map[string]func(variables map[string]any) (status int, body string)
	asked     []string // operations, with variables
	maxFirst  int      // maximum page size before the query is too expensive; 0: unlimited
	circle    bool
	locations string // the answer to a query for them
	total     string // the count on the first page of a listing; "": none; "refused": the app may not count
	file      []byte
	fileURL   string
	ranges    []string
	codes     map[string]bool
	hooks     map[string]string // id by topic and address
	made      int
}

func newFakeShop() *fakeShop {
	return &fakeShop{
		locations: locations(7),
		data:      map[string][]record{},
		codes:     map[string]bool{},
		hooks:     map[string]string{},
		answers:   map[string]func(map[string]any) (int, string){},
	}
}

// connect returns a fake shop and a connector.
func connect(t *testing.T) (*fakeShop, *shopify.Connector, ports.Connection) {
	t.Helper()
	s := newFakeShop()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s, s.connector(), connection(t)
}

func (s *fakeShop) connector() *shopify.Connector { return s.at(fixedClock(noon)) }

func (s *fakeShop) at(clock ports.Clock) *shopify.Connector {
	return shopify.New(shopify.Config{
		URL:          s.url + "/",
		ClientID:     clientID,
		ClientSecret: secret,
		Clock:        clock,
		Client:       s.client,
	})
}

func connection(t *testing.T) ports.Connection {
	return ports.Connection{
		Key:         t.Name(),
		Store:       store,
		Credentials: integration.Credentials{Key: token},
	}
}

// on sets the answer to an operation.
func (s *fakeShop) on(operation string, answer func(variables map[string]any) (int, string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[operation] = answer
}

func (s *fakeShop) say(operation, data string) {
	s.on(operation, func(map[string]any) (int, string) { return 200, `{"data": ` + data + `}` })
}

func (s *fakeShop) fail(operation, errors string) {
	s.on(operation, func(map[string]any) (int, string) { return 200, `{"errors": ` + errors + `}` })
}

func (s *fakeShop) count(operation string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, asked := range s.asked {
		if strings.HasPrefix(asked, operation+" ") {
			n++
		}
	}
	return n
}

func (s *fakeShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

func (s *fakeShop) graphql(w http.ResponseWriter, r *http.Request) {
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
		answer = s.defaultAnswer(operation)
	}
	status, body := answer(asked.Variables)
	if counted && total != "" {
		body = strings.Replace(body, `{"data": {`, `{"data": {"total": `+total+`, `, 1)
	}
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

func (s *fakeShop) defaultAnswer(operation string) func(map[string]any) (int, string) {
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

// paged is the number of objects of a connection that Shopify pages through.
const paged = 25_000

// search applies one term of a search.
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

// page answers a query for a connection. Its cursors are numbers.
func (s *fakeShop) page(connection string, variables map[string]any) (int, string) {
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

// serveFile answers 403 if a request contains the access token or has another address.
func (s *fakeShop) serveFile(w http.ResponseWriter, r *http.Request) {
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

func (s *fakeShop) hook(variables map[string]any) (int, string) {
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

func (s *fakeShop) unhook(variables map[string]any) (int, string) {
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

func (s *fakeShop) listHooks(variables map[string]any) (int, string) {
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

// fill adds n records to a resource, and returns their ids.
func (s *fakeShop) fill(r syncrun.Resource, n int, since time.Time) (names []string) {
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

// call returns a signed call of a webhook.
func call(topic, delivery string, at time.Time, payload string) ports.Call {
	header := http.Header{}
	header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(sign(payload)))
	header.Set("X-Shopify-Webhook-Id", delivery)
	header.Set("X-Shopify-Topic", topic)
	header.Set("X-Shopify-Shop-Domain", store)
	header.Set("X-Shopify-Triggered-At", at.UTC().Format(time.RFC3339Nano))
	return ports.Call{
		Header:  header.Get,
		Payload: []byte(payload),
		Now:     time.Now(),
	}
}
