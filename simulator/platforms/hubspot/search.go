package hubspot

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// searchLimit is the number of results that HubSpot's search can return.
const searchLimit = 10_000

type searchRequest struct {
	FilterGroups []struct{ Filters []filter }
	Sorts        []sorting
	Properties   []string
	Limit        int
	After        any // string or number
}

type sorting struct{ PropertyName, Direction string }

// UnmarshalJSON also accepts the short form: "name", or "-name" for descending.
func (s *sorting) UnmarshalJSON(text []byte) error {
	var short string
	if json.Unmarshal(text, &short) == nil {
		name, descending := strings.CutPrefix(short, "-")
		*s = sorting{PropertyName: name}
		if descending {
			s.Direction = "DESCENDING"
		}
		return nil
	}
	type plain sorting
	return json.Unmarshal(text, (*plain)(s))
}

type filter struct {
	PropertyName, Operator string
	Value, HighValue       any
	Values                 []any
}

func hubspotID(object string, n int) string {
	if object == "contacts" || object == "customers" {
		return strconv.Itoa(151001 + n)
	}
	return strconv.Itoa(991001 + n)
}

// extent returns the number of positions and a function that reports whether the record at a position exists. The caller
// must hold the shop's lock.
func (h *Platform) extent(object string) (int, func(int) bool) {
	if object == "contacts" {
		return len(h.Customers), func(n int) bool { return !h.Customers[n].Deleted }
	}
	return len(h.Orders), func(n int) bool { d := h.deals[n]; return d == nil || !d.archived && d.merged == 0 }
}

func (h *Platform) properties(object string, n int) map[string]any {
	if object == "contacts" {
		p := h.Customers[n]
		return map[string]any{
			"email": p.Email, "firstname": p.First, "lastname": p.Last, "loyalty_tier": host.OrNull(p.Tier), "num_associated_deals": strconv.Itoa(p.Purchases),
			"createdate": host.WithMillis(p.Created), "lastmodifieddate": host.WithMillis(p.Updated), "hs_object_id": hubspotID(object, n), "lifecyclestage": "customer",
		}
	}
	o := h.Orders[n]
	stage := map[string]string{"paid": "closedwon", "fulfilled": "closedwon", "refunded": "closedlost", "canceled": "closedlost"}[o.Status]
	all := map[string]any{
		"dealname": "Order " + strconv.Itoa(7001+n), "amount": host.Dollars(o.Cents), "dealstage": stage, "closedate": host.WithMillis(o.Placed), "pipeline": "default",
		"deal_currency_code": "USD", "createdate": host.WithMillis(o.Placed), "hs_lastmodifieddate": host.WithMillis(o.Updated), "hs_object_id": hubspotID(object, n),
	}
	if d := h.deals[n]; d != nil {
		for name, value := range d.properties {
			all[name] = value
		}
	}
	return all
}

var usual = map[string][]string{
	"contacts": {"createdate", "email", "firstname", "hs_object_id", "lastmodifieddate", "lastname"},
	"deals":    {"amount", "closedate", "createdate", "dealname", "dealstage", "hs_lastmodifieddate", "hs_object_id", "pipeline"},
}

// show returns a record with the requested properties and the default ones.
func (h *Platform) show(object string, n int, names []string) map[string]any {
	all := h.properties(object, n)
	shown := map[string]any{"hs_object_id": all["hs_object_id"], "createdate": all["createdate"]}
	modified := "lastmodifieddate"
	if object == "deals" {
		modified = "hs_lastmodifieddate"
	}
	shown[modified] = all[modified]
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	if len(names) == 0 {
		names = usual[object]
	}
	for _, name := range names {
		if value, known := all[name]; known {
			shown[name] = value
		}
	}
	return map[string]any{
		"id": all["hs_object_id"], "properties": shown, "createdAt": all["createdate"], "updatedAt": all[modified], "archived": false,
	}
}

func (h *Platform) find(c *host.Call, object string) host.Answer {
	var asked searchRequest
	if !host.ReadJSON(c.Content, &asked) {
		return h.Refuse(http.StatusBadRequest, "Invalid input JSON")
	}
	if asked.Limit == 0 {
		asked.Limit = 10
	}
	after, good := asked.after()
	switch {
	case asked.Limit < 1 || asked.Limit > 200 || !good:
		return h.Refuse(http.StatusBadRequest, "limit must be 1 to 200, and after a cursor of ours")
	case after+asked.Limit > searchLimit && after > 0:
		return h.Refuse(http.StatusBadRequest, "There was a problem with the request: a search reaches 10,000 results at most.")
	case !asked.known():
		return h.Refuse(http.StatusBadRequest, "an operator or a property is unknown")
	}
	results, total := []any{}, 0
	h.Read(func(*host.World) {
		found := h.matching(object, asked)
		total = len(found)
		for _, n := range found[min(after, total):min(after+asked.Limit, total)] {
			results = append(results, h.show(object, n, asked.Properties))
		}
	})
	next := after + asked.Limit
	if next >= total {
		next = 0
	}
	return host.OK(h.paged(c, map[string]any{"total": total, "results": results}, next, after))
}

func (s searchRequest) after() (int, bool) {
	switch after := s.After.(type) {
	case nil:
		return 0, true
	case float64:
		return int(after), after >= 0
	case string:
		if after == "" {
			return 0, true
		}
		n, err := strconv.Atoi(after)
		return n, err == nil && n >= 0
	}
	return 0, false
}

var operators = []string{"EQ", "NEQ", "GT", "GTE", "LT", "LTE", "BETWEEN", "IN", "HAS_PROPERTY", "NOT_HAS_PROPERTY"}

func (s searchRequest) known() bool {
	for _, group := range s.FilterGroups {
		for _, f := range group.Filters {
			if f.PropertyName == "" || !slices.Contains(operators, f.Operator) {
				return false
			}
		}
	}
	return len(s.FilterGroups) <= 5 && len(s.Sorts) <= 1
}

// matching returns the positions of the matching records in order.
func (h *Platform) matching(object string, asked searchRequest) []int {
	n, will := h.extent(object)
	found := make([]int, 0, n)
	keys := make([]string, n)
	for i := range n {
		if !will(i) {
			continue
		}
		all := h.properties(object, i)
		if !asked.matches(all) {
			continue
		}
		if len(asked.Sorts) == 1 {
			keys[i] = sortable(all[asked.Sorts[0].PropertyName])
		}
		found = append(found, i)
	}
	if len(asked.Sorts) == 1 {
		slices.SortStableFunc(found, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
		if asked.Sorts[0].Direction == "DESCENDING" {
			slices.Reverse(found)
		}
	}
	return found
}

func (s searchRequest) matches(all map[string]any) bool {
	for _, group := range s.FilterGroups {
		every := true
		for _, f := range group.Filters {
			every = every && f.matches(all[f.PropertyName])
		}
		if every {
			return true
		}
	}
	return len(s.FilterGroups) == 0
}

func (f filter) matches(value any) bool {
	have, low := sortable(value), sortable(f.Value)
	switch f.Operator {
	case "HAS_PROPERTY":
		return have != ""
	case "NOT_HAS_PROPERTY":
		return have == ""
	case "EQ":
		return have == low
	case "NEQ":
		return have != low
	case "IN":
		return slices.ContainsFunc(f.Values, func(one any) bool { return sortable(one) == have })
	case "BETWEEN":
		return have >= low && have <= sortable(f.HighValue)
	case "GT":
		return have > low
	case "GTE":
		return have >= low
	case "LT":
		return have < low
	}
	return have <= low
}

// sortable formats numbers and times, which may be milliseconds or text, so that they can be compared as text.
func sortable(value any) string {
	var text string
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return padded(int64(v))
	case string:
		text = v
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return padded(n)
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return padded(at.UnixMilli())
	}
	return text
}

func padded(n int64) string {
	text := strconv.FormatInt(n, 10)
	return strings.Repeat("0", max(0, 20-len(text))) + text
}
