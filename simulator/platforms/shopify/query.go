package shopify

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// charge takes the maximum cost of the query from the bucket, answers the query, and refunds the unused cost.
func (s *Platform) charge(c *host.Call, operation *ast.OperationDefinition, vars map[string]any) host.Answer {
	root := "QueryRoot"
	if operation.Operation == ast.Mutation {
		root = "Mutation"
	}
	asked := price(operation.SelectionSet, root, vars)
	if asked > s.Host.Config.ShopifyMaxCost {
		err := coded("MAX_COST_EXCEEDED", "Query cost is %d, which exceeds the single query max cost limit (%d).", asked, s.Host.Config.ShopifyMaxCost)
		return host.OK(map[string]any{"errors": gqlerror.List{err}})
	}
	s.mu.Lock()
	fits := c.Fault.Kind != host.Costs && s.bucket.take(float64(asked), s.Host.Config.Now())
	left := s.bucket.show()
	s.mu.Unlock()
	if !fits {
		if c.Fault.Kind == host.Costs {
			left["currentlyAvailable"] = 0.0
		}
		return host.OK(map[string]any{
			"errors":     gqlerror.List{coded("THROTTLED", "Throttled")},
			"extensions": map[string]any{"cost": map[string]any{"requestedQueryCost": asked, "actualQueryCost": nil, "throttleStatus": left}},
		})
	}
	e := &execution{vars: vars, denied: s.Host.Config.ShopifyDenied}
	if c.Fault.Kind == host.Circle {
		e.circle = circular(operation, vars)
	}
	var data map[string]any
	s.withShop(operation, func(*host.World) { data = e.object(operation.SelectionSet, rootObject{s, c, root}) })
	spent := min(asked, e.cost-1)
	s.mu.Lock()
	s.bucket.giveBack(float64(asked - spent))
	left = s.bucket.show()
	s.mu.Unlock()
	body := map[string]any{
		"data":       data,
		"extensions": map[string]any{"cost": map[string]any{"requestedQueryCost": asked, "actualQueryCost": spent, "throttleStatus": left}},
	}
	if len(e.errors) > 0 {
		body["errors"] = e.errors
	}
	return host.OK(body)
}

// circular returns the cursor in the query, or that of the first record.
func circular(operation *ast.OperationDefinition, vars map[string]any) string {
	for _, f := range fields(operation.SelectionSet, "QueryRoot") {
		if after, is := f.ArgumentMap(vars)["after"].(string); is && after != "" {
			return after
		}
	}
	return cursorOf(0, 0)
}

// everything is the page size in a bulk operation.
const everything = math.MaxInt32

type shopifyCursor struct {
	ID    int   `json:"last_id"` // position plus one
	Value int64 `json:"last_value"`
}

func cursorOf(position int, value int64) string {
	text, _ := json.Marshal(shopifyCursor{position + 1, value})
	return base64.StdEncoding.EncodeToString(text)
}

// listing is a connection before paging: those of n records for which will returns true, ordered by position or by value.
type listing struct {
	of      string
	n       int
	will    func(int) bool
	value   func(int) int64 // sort key; nil: by position
	created func(int) int64
	show    func(int) object
	most    int // objects that can be paged through; 0: no limit
}

// errPaged is the error for pages beyond the objects that Shopify pages through. Its text is not documented.
var errPaged = errors.New("pagination is limited to 25,000 objects")

// deep reports whether a page ends beyond the objects that can be paged through.
func (l listing) deep(from *shopifyCursor, first int, reverse bool) bool {
	if from == nil || l.most == 0 || reverse || first == everything {
		return false
	}
	before := 0
	for n := range l.n {
		if l.will(n) && !l.follows(n, *from, false) {
			before++
		}
	}
	return before+first > l.most
}

func (l listing) connection(args map[string]any) any {
	first := number64(args["first"])
	if args["first"] == nil {
		if args["last"] != nil {
			return errors.New("last is not answered by the look-alike")
		}
		return errFirst
	}
	if first < 1 || first > 250 && first != everything {
		return errors.New("first must be 1 to 250")
	}
	var from *shopifyCursor
	if after, is := args["after"].(string); is && after != "" {
		raw, err := base64.StdEncoding.DecodeString(after)
		from = new(shopifyCursor)
		if err != nil || json.Unmarshal(raw, from) != nil || from.ID < 1 {
			return errors.New("invalid cursor for current pagination sort")
		}
	}
	reverse, _ := args["reverse"].(bool)
	if l.deep(from, first, reverse) {
		return errPaged
	}
	found := l.page(from, first, reverse)
	c := &connection{
		of:      l.of,
		hasPrev: from != nil,
		hasNext: len(found) > first,
	}
	for _, n := range found[:min(first, len(found))] {
		c.nodes, c.cursors = append(c.nodes, l.show(n)), append(c.cursors, cursorOf(n, l.valueOf(n)))
	}
	return c
}

func (l listing) valueOf(n int) int64 {
	if l.value == nil {
		return 0
	}
	return l.value(n)
}

// page returns one position more than first, if there are enough.
func (l listing) page(from *shopifyCursor, first int, reverse bool) []int {
	if l.value == nil && !reverse {
		after := -1
		if from != nil {
			after = from.ID - 1
		}
		found, _ := host.Page(l.n, after, first+1, l.will)
		return found
	}
	compare := func(a, b int) int {
		order := cmp.Or(cmp.Compare(l.valueOf(a), l.valueOf(b)), cmp.Compare(a, b))
		if reverse {
			return -order
		}
		return order
	}
	var found []int
	for n := range l.n {
		if l.will(n) && (from == nil || l.follows(n, *from, reverse)) {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, compare)
	return found[:min(first+1, len(found))]
}

func (l listing) follows(n int, from shopifyCursor, reverse bool) bool {
	value := l.valueOf(n)
	if reverse {
		return value < from.Value || value == from.Value && n < from.ID-1
	}
	return value > from.Value || value == from.Value && n > from.ID-1
}

// term is a search condition such as updated_at:>='2025-01-06T08:00:00Z'.
type term struct {
	name, operator, text string
	value                int64
}

// readSearch parses conditions joined by AND. It returns an error for unknown fields, which Shopify ignores.
func readSearch(text string, known ...string) (terms []term, err error) {
	for _, word := range words(text) {
		if strings.EqualFold(word, "AND") {
			continue
		}
		name, rest, found := strings.Cut(strings.Trim(word, "()"), ":")
		if !found || !slices.Contains(known, name) {
			return nil, fmt.Errorf("the look-alike cannot search for %q", word)
		}
		t := term{name: name, operator: "="}
		for _, operator := range []string{">=", "<=", ">", "<"} {
			if after, has := strings.CutPrefix(rest, operator); has {
				t.operator, rest = operator, after
				break
			}
		}
		t.text = strings.Trim(rest, `'"`)
		if strings.HasSuffix(name, "_at") {
			at, err := readMoment(t.text)
			if err != nil {
				return nil, err
			}
			t.value = at.UnixMilli()
		}
		if strings.HasSuffix(name, "id") {
			n, _ := strconv.ParseInt(t.text[strings.LastIndexByte(t.text, '/')+1:], 10, 64)
			t.value = n
		}
		terms = append(terms, t)
	}
	return terms, nil
}

func readMoment(text string) (time.Time, error) {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time", text)
}

// words splits at spaces outside quotes.
func words(text string) []string {
	quote := rune(0)
	return strings.FieldsFunc(text, func(r rune) bool {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		}
		return r == ' ' && quote == 0
	})
}

// holds reports whether a number, or a time in seconds, meets the condition.
func (t term) holds(value int64) bool {
	switch t.operator {
	case ">":
		return value > t.value
	case ">=":
		return value >= t.value
	case "<":
		return value < t.value
	case "<=":
		return value <= t.value
	}
	return value == t.value
}

// all reports whether a record meets all terms.
func all(terms []term, values map[string]int64, texts map[string]string) bool {
	for _, t := range terms {
		if value, is := values[t.name]; is {
			if !t.holds(value) {
				return false
			}
			continue
		}
		if !strings.EqualFold(texts[t.name], t.text) && t.text != "any" && t.text != "*" {
			return false
		}
	}
	return true
}
