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

// answer is a recorded response to any client's request.
type answer struct {
	path    string
	query   string
	toBuyer bool
	status  int
	header  http.Header
	body    []byte
}

// value returns the decoded JSON body, or nil.
func (a answer) value() any {
	value, _ := decode(string(a.body))
	return value
}

// within retries check until it succeeds, fifty times per second. It counts retries, not time, so a machine that is suspended
// meanwhile loses none.
func within(seconds int, check func() error) error {
	for tries := 50 * seconds; ; tries-- {
		if err := check(); err == nil || tries == 0 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// retryTransport repeats a request up to five times that the server refused with 503 overloaded or index_building. The
// server has written nothing for such a request.
type retryTransport struct{ next http.RoundTripper }

func (b retryTransport) RoundTrip(r *http.Request) (*http.Response, error) {
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

// recorder is a transport that keeps all answers in the order of their arrival. It sends no request in the same millisecond
// as the latest answer: the server stores times in milliseconds, and consecutive requests must get different ones.
type recorder struct {
	next       http.RoundTripper
	mu         sync.Mutex
	answers    []answer
	answeredAt time.Time // time of the latest answer
}

// markAnswered delays the next request to the next millisecond.
func (t *recorder) markAnswered() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answeredAt = time.Now()
}

func (t *recorder) untilNextMillisecond() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Until(t.answeredAt.Truncate(time.Millisecond).Add(time.Millisecond))
}

func (t *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(t.untilNextMillisecond())
	defer t.markAnswered()
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

func (t *recorder) all() []answer {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.answers)
}

// last returns the latest answer, or a zero answer.
func (t *recorder) last() answer {
	all := t.all()
	if len(all) == 0 {
		return answer{}
	}
	return all[len(all)-1]
}

// refusal is an error answer of the Management API or of ACP.
type refusal struct {
	status int
	code   string
	fields map[string]string

	retryAfter time.Duration // zero if the answer has none
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

// decode reads one JSON value and keeps numbers as json.Number.
func decode(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// valueAt returns the value at a dotted path: items.0.name, results.# for a length, results.*.name for all names, and
// capabilities.[dev.ucp.shopping.cart].0 for a name with dots. On an object, * selects all values.
func valueAt(value any, path string) (any, bool) {
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
			return elementAt(sortedValues(value), name, rest)
		}
		child, ok := value[name]
		if !ok {
			return nil, false
		}
		return valueAt(child, rest)
	case []any:
		return elementAt(value, name, rest)
	}
	return nil, false
}

// sortedValues returns the values of an object in the order of their names.
func sortedValues(object map[string]any) []any {
	list := make([]any, 0, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		list = append(list, object[name])
	}
	return list
}

func elementAt(list []any, name, rest string) (any, bool) {
	switch name {
	case "#":
		return json.Number(strconv.Itoa(len(list))), true
	case "*":
		all := make([]any, len(list))
		for i, element := range list {
			child, ok := valueAt(element, rest)
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
	return valueAt(list[i], rest)
}

// checkValue compares the value at a path with what a step wants: a JSON value, or an operator such as "absent", "contains X",
// "matches X" or "at least X".
func checkValue(whole any, path, want string) error {
	got, found := valueAt(whole, path)
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
	return err == nil && equalJSON(got, wanted), err == nil
}

// contains reports whether a list has the element, or a text the substring.
func contains(got any, want string) (bool, error) {
	wanted, err := decode(want)
	if err != nil {
		return false, fmt.Errorf("cannot read %q: %w", want, err)
	}
	switch got := got.(type) {
	case []any:
		for _, element := range got {
			if equalJSON(element, wanted) {
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

// equalJSON reports whether two JSON values are equal. It compares numbers by value: 1.0 equals 1.
func equalJSON(a, b any) bool { return reflect.DeepEqual(normalizeNumbers(a), normalizeNumbers(b)) }

func normalizeNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if exact, ok := new(big.Rat).SetString(value.String()); ok {
			return "number " + exact.RatString()
		}
	case []any:
		all := make([]any, len(value))
		for i, element := range value {
			all[i] = normalizeNumbers(element)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(value))
		for name, child := range value {
			all[name] = normalizeNumbers(child)
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

// checkTable checks a value against every row of a table: a path, and what checkValue wants there.
func (s *scenario) checkTable(value any, table *godog.Table) error {
	return s.checkFields(value, fieldsOf(table))
}

// checkFields checks a value's fields, given as pairs of a path and what it must be.
func (s *scenario) checkFields(value any, pairs []string) error {
	var wrong error
	for pair := range slices.Chunk(pairs, 2) {
		wrong = errors.Join(wrong, checkValue(value, s.expand(pair[0]), s.expand(pair[1])))
	}
	return wrong
}

// fieldsOf returns the first two cells of each row.
func fieldsOf(table *godog.Table) (pairs []string) {
	for _, row := range table.Rows {
		pairs = append(pairs, row.Cells[0].Value, row.Cells[1].Value)
	}
	return pairs
}
