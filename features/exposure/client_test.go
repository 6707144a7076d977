// Package exposure tests over HTTP, on both engines, what a server needs on the open internet: isolation of tenants, limits,
// idempotent requests, and secrets that stay secret.
package exposure

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// onEngines runs a test on both engines in parallel.
func onEngines(t *testing.T, test func(*testing.T, boottest.Engine)) {
	t.Helper()
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

// caller calls a server with the same headers each time.
type caller struct {
	t       *testing.T
	url     string
	headers map[string]string
}

// call returns a caller with a valid admin key.
func call(t *testing.T, url string) caller {
	return caller{t, url, map[string]string{"Authorization": "Bearer " + boottest.Key}}
}

// with adds headers, given as alternating names and values. An empty value removes a header.
func (c caller) with(headers ...string) caller {
	all := make(map[string]string)
	for name, value := range c.headers {
		all[name] = value
	}
	for i := 0; i < len(headers); i += 2 {
		all[headers[i]] = headers[i+1]
	}
	return caller{c.t, c.url, all}
}

func (c caller) key(secret string) caller { return c.with("Authorization", "Bearer "+secret) }

// reply is a response.
type reply struct {
	status int
	header http.Header
	body   string
}

func (c caller) send(method, path, body string) reply {
	c.t.Helper()
	r, err := c.try(method, path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// try is send for calls that may fail. It is safe for concurrent use.
func (c caller) try(method, path, body string) (reply, error) {
	r, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	for name, value := range c.headers {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(text)}, err
}

// retry is try, but repeats a request that a busy server sheds (503 overloaded), as clients do.
func (c caller) retry(method, path, body string) (reply, error) {
	for n := 1; ; n++ {
		r, err := c.try(method, path, body)
		if err != nil || r.code() != "overloaded" || n == 30 {
			return r, err
		}
		time.Sleep(time.Second)
	}
}

// is checks the status and, if it is not "", the code of the error.
func (r reply) is(t *testing.T, status int, code string) reply {
	t.Helper()
	if r.status != status || code != r.code() {
		t.Fatalf("%d %s, want %d %q", r.status, r.body, status, code)
	}
	return r
}

// field returns the value at a path such as "data.0.id" of the body, as text.
func (r reply) field(path string) string {
	var value any
	decoder := json.NewDecoder(strings.NewReader(r.body))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return ""
	}
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(v) {
				return ""
			}
			value = v[i]
		default:
			return ""
		}
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// code returns the error's code in the format of either API, or "".
func (r reply) code() string {
	if code := r.field("error.code"); code != "" && r.status >= 400 {
		return code
	}
	if r.status >= 400 {
		return r.field("error")
	}
	return ""
}

// atOnce makes n calls at the same time.
func atOnce(t *testing.T, n int, call func(i int) (reply, error)) []reply {
	t.Helper()
	replies := make([]reply, n)
	var start, done sync.WaitGroup
	start.Add(1)
	for i := range n {
		done.Go(func() {
			start.Wait()
			var err error
			if replies[i], err = call(i); err != nil {
				t.Error(err)
			}
		})
	}
	start.Done()
	done.Wait()
	return replies
}

// openShop creates a project and returns its id.
func openShop(c caller, slug string) string {
	c.t.Helper()
	return c.send("POST", "/v1/projects", `{"name":"Shop","slug":"`+slug+`"}`).is(c.t, 201, "").field("id")
}
