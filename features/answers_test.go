package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// answer is what came back, whichever client asked.
type answer struct {
	path    string
	query   string
	toBuyer bool
	status  int
	header  http.Header
	body    []byte
}

// value is the body decoded, or nil.
func (a answer) value() any {
	value, _ := decode(string(a.body))
	return value
}

// within tries again until something holds, fifty times for each second: a machine that stands still uses up none.
func within(seconds int, holds func() error) error {
	for tries := 50 * seconds; ; tries-- {
		if err := holds(); err == nil || tries == 0 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// busy sends a request again that the server had no time for, or no index yet: nothing was written.
type busy struct{ next http.RoundTripper }

func (b busy) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for tries := 5; ; tries-- {
		response, err := b.next.RoundTrip(r)
		if err != nil || response.StatusCode != http.StatusServiceUnavailable || tries == 0 || r.Body != nil && r.GetBody == nil {
			return response, err
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte(`"overloaded"`)) && !bytes.Contains(body, []byte(`"index_building"`)) {
			return response, nil
		}
		if r.Body != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
		time.Sleep(time.Second)
	}
}

// tape keeps the answers that pass through it, in the order of their arrival. No request leaves in the millisecond of
// an answer: servers keep no finer time, and what comes one after the other is to be told apart by it.
type tape struct {
	next    http.RoundTripper
	mu      sync.Mutex
	answers []answer
	ticked  time.Time // the latest answer
}

// tick ends the millisecond for whoever sends next.
func (t *tape) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ticked = time.Now()
}

func (t *tape) untilNext() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Until(t.ticked.Truncate(time.Millisecond).Add(time.Millisecond))
}

func (t *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(t.untilNext())
	defer t.tick()
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers = append(t.answers, answer{
		path:    r.URL.Path,
		query:   r.URL.RawQuery,
		toBuyer: strings.HasPrefix(r.URL.Path, "/p/"),
		status:  response.StatusCode,
		header:  response.Header,
		body:    body,
	})
	return response, nil
}

func (t *tape) all() []answer {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.answers)
}

// last is the latest answer, or none.
func (t *tape) last() answer {
	all := t.all()
	if len(all) == 0 {
		return answer{}
	}
	return all[len(all)-1]
}

// refusal is a refused request, in whichever shape its API has for it.
type refusal struct {
	status int
	code   string
	fields map[string]string

	retryAfter time.Duration // zero where nothing is said
}

func refusalOf(err error) *refusal {
	var ofMerchant *merchant.Error
	var ofBuyer *acp.Error
	r := &refusal{fields: map[string]string{}}
	switch {
	case errors.As(err, &ofMerchant):
		r.status, r.code = ofMerchant.HTTPStatus, ofMerchant.Code
		for _, d := range ofMerchant.Details {
			r.fields[d.Field] = d.Message
		}
	case errors.As(err, &ofBuyer):
		r.status, r.code, r.retryAfter = ofBuyer.HTTPStatus, ofBuyer.Code, ofBuyer.Wait()
		for _, d := range ofBuyer.Details {
			r.fields[d.Field] = d.Message
		}
	default:
		return nil
	}
	return r
}

// decode reads one JSON value with its numbers as they are written.
func decode(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// at is the value at a dotted path: items.0.name, results.# for a length, results.*.name for all names, and
// capabilities.[dev.ucp.shopping.cart].0 for a name with dots. Of an object, * are all values.
func at(value any, path string) (any, bool) {
	if path == "" {
		return value, true
	}
	name, rest, _ := strings.Cut(path, ".")
	if dotted, after, bracketed := strings.Cut(strings.TrimPrefix(path, "["), "]"); bracketed && path[0] == '[' {
		name, rest = dotted, strings.TrimPrefix(after, ".")
	}
	switch value := value.(type) {
	case map[string]any:
		if name == "*" {
			return atElement(sorted(value), name, rest)
		}
		child, ok := value[name]
		if !ok {
			return nil, false
		}
		return at(child, rest)
	case []any:
		return atElement(value, name, rest)
	}
	return nil, false
}

// sorted are the values of an object by their names.
func sorted(object map[string]any) []any {
	list := make([]any, 0, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		list = append(list, object[name])
	}
	return list
}

func atElement(list []any, name, rest string) (any, bool) {
	switch name {
	case "#":
		return json.Number(strconv.Itoa(len(list))), true
	case "*":
		all := make([]any, len(list))
		for i, element := range list {
			child, ok := at(element, rest)
			if !ok {
				return nil, false
			}
			all[i] = child
		}
		return all, true
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(list) {
		return nil, false
	}
	return at(list[i], rest)
}

// judge compares the value at a path with what a step wants: a JSON value, or one of the words below and one.
func judge(whole any, path, want string) error {
	got, found := at(whole, path)
	word, rest, _ := strings.Cut(want, " ")
	ok, known := false, true
	switch {
	case want == "absent":
		ok = !found
	case !found:
		return fmt.Errorf("%s is absent, want %s", path, want)
	case want == "present":
		ok = got != nil && got != ""
	case strings.HasPrefix(want, "other than "):
		ok, known = compare(got, strings.TrimPrefix(want, "other than "))
		ok = !ok
	case word == "matches":
		text, isText := got.(string)
		ok = isText && regexp.MustCompile(rest).MatchString(text)
	case word == "contains", word == "without":
		holds, err := contains(got, rest)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		ok = holds == (word == "contains")
	default:
		ok, known = compare(got, want)
	}
	if !known {
		return fmt.Errorf("%s: cannot read %q", path, want)
	}
	if !ok {
		return fmt.Errorf("%s is %s, want %s", path, encode(got), want)
	}
	return nil
}

var comparison = regexp.MustCompile(`^(at least|at most|above|below) (\S+)$`)

func compare(got any, want string) (ok, known bool) {
	if parts := comparison.FindStringSubmatch(want); parts != nil {
		number, isNumber := got.(json.Number)
		a, okA := new(big.Rat).SetString(number.String())
		b, okB := new(big.Rat).SetString(parts[2])
		if !isNumber || !okA || !okB {
			return false, isNumber
		}
		sign := a.Cmp(b)
		return map[string]bool{"at least": sign >= 0, "at most": sign <= 0, "above": sign > 0, "below": sign < 0}[parts[1]], true
	}
	wanted, err := decode(want)
	return err == nil && same(got, wanted), err == nil
}

// contains: a list holds the element, or a text the part.
func contains(got any, want string) (bool, error) {
	wanted, err := decode(want)
	if err != nil {
		return false, fmt.Errorf("cannot read %q: %w", want, err)
	}
	switch got := got.(type) {
	case []any:
		for _, element := range got {
			if same(element, wanted) {
				return true, nil
			}
		}
		return false, nil
	case string:
		part, _ := wanted.(string)
		return strings.Contains(got, part), nil
	}
	return false, fmt.Errorf("%s contains nothing", encode(got))
}

// same compares JSON values; numbers by what they are worth, not by how they are written.
func same(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

func plain(value any) any {
	switch value := value.(type) {
	case json.Number:
		if exact, ok := new(big.Rat).SetString(value.String()); ok {
			return "number " + exact.RatString()
		}
	case []any:
		all := make([]any, len(value))
		for i, element := range value {
			all[i] = plain(element)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(value))
		for name, child := range value {
			all[name] = plain(child)
		}
		return all
	}
	return value
}

func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// judgeTable judges every row of a two-column table.
func (w *world) judgeTable(value any, table *godog.Table) error {
	var wrong error
	for _, row := range table.Rows {
		path, want := w.expand(row.Cells[0].Value), w.expand(row.Cells[1].Value)
		wrong = errors.Join(wrong, judge(value, path, want))
	}
	return wrong
}
