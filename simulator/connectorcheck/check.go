// Package connectorcheck checks whether a merchant's own system keeps the contract of the custom connector
// (adapters/connectors/custom/doc.go), and says for each check how to correct it. It registers a webhook and removes it
// again. If the system takes orders, it creates an order that is marked as a test, refunds it and cancels it. It changes
// nothing else and uses none of the server's code.
package connectorcheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Result is the outcome of one check.
type Result struct {
	Check   string
	Problem string // empty if the check passed
	Remedy  string
}

// Config is the system to check.
type Config struct {
	URL     string // the base URL
	Key     string
	Hook    string // the address that a webhook is registered for
	Client  *http.Client
	Timeout time.Duration // of a request; default 15 s
	// SkipOrders omits the checks that create an order.
	SkipOrders bool
}

// Limits of how many pages of a resource, and how many bytes of an answer, are read.
const (
	mostPages = 200
	longest   = 8 << 20
	pageSize  = 20
)

type checker struct {
	Config
	ctx     context.Context
	about   record // from GET /account
	results []Result
}

// Run runs all checks one after the other. It skips checks that cannot pass after another has failed.
func Run(ctx context.Context, c Config) []Result {
	if c.Client == nil {
		c.Client = http.DefaultClient
	}
	if c.Timeout == 0 {
		c.Timeout = 15 * time.Second
	}
	k := &checker{Config: c, ctx: ctx}
	if !k.check("account", "answer GET /account with 200 and {\"id\": …}, the same id each time", k.account) {
		return k.results
	}
	k.check("authorization", "answer 401 or 403 where the API key is another", k.authorization)
	all := map[string][]record{}
	for _, resource := range []string{"products", "inventory", "customers", "orders"} {
		all[resource] = k.resource(resource)
	}
	fails := slices.ContainsFunc(k.results, func(r Result) bool {
		return r.Problem != "" && (strings.HasPrefix(r.Check, "products") || strings.HasPrefix(r.Check, "inventory"))
	})
	if string(k.about["writes_orders"]) == "true" && !c.SkipOrders && !fails { // an order needs products and stock levels
		k.orders(all["products"], all["inventory"])
	}
	k.webhooks()
	return k.results
}

// check runs a check, records its result and reports whether it passed.
func (k *checker) check(name, remedy string, run func() error) bool {
	r := Result{Check: name, Remedy: remedy}
	if err := run(); err != nil {
		r.Problem = err.Error()
	}
	k.results = append(k.results, r)
	return r.Problem == ""
}

type answer struct {
	status int
	body   []byte
}

func (k *checker) ask(method, path, key string, body any) (answer, error) {
	return k.send(method, path, key, "", body)
}

// send is ask with a method and a body. once is the Idempotency-Key; "" sends none.
func (k *checker) send(method, path, key, once string, body any) (answer, error) {
	ctx, cancel := context.WithTimeout(k.ctx, k.Timeout)
	defer cancel()
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		content = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(k.URL, "/")+path, content)
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Accept", "application/json")
	if once != "" {
		r.Header.Set("Idempotency-Key", once)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := k.Client.Do(r)
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, longest+1))
	if err == nil && len(text) > longest {
		err = errors.New("the answer has more than 8 MiB")
	}
	return answer{response.StatusCode, text}, err
}

// get decodes an answer, whose status must be 200.
func (k *checker) get(path string, into any) error {
	a, err := k.ask(http.MethodGet, path, k.Key, nil)
	switch {
	case err != nil:
		return err
	case a.status != http.StatusOK:
		return fmt.Errorf("GET %s answers %d", path, a.status)
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return fmt.Errorf("GET %s answers with what cannot be read: %w", path, err)
	}
	return nil
}

func (k *checker) account() error {
	var ids [2]string
	for n := range ids {
		var about record
		if err := k.get("/account", &about); err != nil {
			return err
		}
		id, ok := idOf(about["id"])
		if !ok {
			return errors.New("the account has no id")
		}
		ids[n], k.about = id, about
	}
	if ids[0] != ids[1] {
		return fmt.Errorf("the account is %s, and then %s", ids[0], ids[1])
	}
	return nil
}

// idOf reads an id: a string of at most 200 characters or a whole number.
func idOf(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = strings.TrimSpace(string(raw))
		if strings.Trim(text, "0123456789") != "" {
			return "", false
		}
	}
	return text, text != "" && len([]rune(text)) <= 200
}

func (k *checker) authorization() error {
	a, err := k.ask(http.MethodGet, "/account", k.Key+"-wrong", nil)
	if err == nil && a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
		err = fmt.Errorf("GET /account with another API key answers %d", a.status)
	}
	return err
}

type record = map[string]json.RawMessage

type page struct {
	Data *[]record `json:"data"`
	Next *string   `json:"next_cursor"`
}

func (p page) next() string {
	if p.Next == nil {
		return ""
	}
	return *p.Next
}

func (k *checker) page(resource string, query url.Values) (p page, err error) {
	query.Set("limit", strconv.Itoa(pageSize))
	err = k.get("/"+resource+"?"+query.Encode(), &p)
	if err == nil && p.Data == nil {
		err = errors.New("a page has no data")
	}
	return p, err
}

// resource checks the records of a resource and returns them.
func (k *checker) resource(resource string) (all []record) {
	var first page
	if !k.check(resource+" page", `answer with {"data": […], "next_cursor": …}; without such data with {"data": []}`, func() (err error) {
		first, err = k.page(resource, url.Values{})
		return err
	}) {
		return nil
	}
	if !k.check(resource+" paging", "have next_cursor lead on until the last page, which has none; each record is on one page; limit is the most of one", func() (err error) {
		all, err = k.all(resource, url.Values{})
		return err
	}) {
		return nil
	}
	k.check(resource+" cursor", "answer the same cursor with the same page again", func() error { return k.again(resource, first) })
	k.check(resource+" records", "give each record the fields that the contract requires, with times in RFC 3339 and an offset", func() error {
		for _, r := range all {
			if err := judge(resource, r); err != nil {
				return err
			}
		}
		return nil
	})
	k.check(resource+" updated_since", "leave out only records whose updated_at is earlier than updated_since", func() error { return k.since(resource, all) })
	return all
}

// all reads all pages.
func (k *checker) all(resource string, query url.Values) (all []record, err error) {
	seen, cursors := map[string]bool{}, map[string]bool{}
	for range mostPages {
		p, err := k.page(resource, query)
		if err != nil {
			return nil, err
		}
		if len(*p.Data) > pageSize {
			return nil, fmt.Errorf("a page has %d records where limit is %d", len(*p.Data), pageSize)
		}
		for _, r := range *p.Data {
			if id, ok := idOf(r["id"]); ok && seen[id] {
				return nil, fmt.Errorf("%s comes twice", id)
			} else if ok {
				seen[id] = true
			}
		}
		all = append(all, *p.Data...)
		next := p.next()
		switch {
		case next == "":
			return all, nil
		case cursors[next]:
			return nil, errors.New("pages lead in a circle")
		case len([]rune(next)) > 2000:
			return nil, errors.New("a cursor has more than 2,000 characters")
		}
		cursors[next] = true
		query.Set("cursor", next)
	}
	return all, nil // the rest is not checked
}

func (k *checker) again(resource string, first page) error {
	if first.next() == "" {
		return nil
	}
	var pages [2][]string
	for n := range pages {
		p, err := k.page(resource, url.Values{"cursor": {first.next()}})
		if err != nil {
			return err
		}
		for _, r := range *p.Data {
			pages[n] = append(pages[n], string(r["id"]))
		}
	}
	if !slices.Equal(pages[0], pages[1]) {
		return errors.New("the second page is another one when it is asked for again")
	}
	return nil
}

func changedAt(r record) (time.Time, bool) {
	var text string
	if json.Unmarshal(r["updated_at"], &text) != nil {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil
}

// since checks that updated_since with the median time returns everything that changed since.
func (k *checker) since(resource string, all []record) error {
	var times []time.Time
	for _, r := range all {
		if at, ok := changedAt(r); ok {
			times = append(times, at)
		}
	}
	if len(times) == 0 {
		return nil
	}
	slices.SortFunc(times, time.Time.Compare)
	since := times[len(times)/2]
	found, err := k.all(resource, url.Values{"updated_since": {since.UTC().Format("2006-01-02T15:04:05.000Z07:00")}})
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, r := range found {
		if id, ok := idOf(r["id"]); ok {
			there[id] = true
		}
	}
	for _, r := range all {
		id, named := idOf(r["id"])
		at, timed := changedAt(r)
		if named && timed && !at.Before(since.Truncate(time.Millisecond).Add(time.Millisecond)) && !there[id] {
			return fmt.Errorf("%s changed at %s and is missing since %s", id, at.Format(time.RFC3339Nano), since.Format(time.RFC3339Nano))
		}
	}
	return nil
}
