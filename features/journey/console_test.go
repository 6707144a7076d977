package journey

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// pages are the console pages that merchants open most. {order} and {negotiation} are the newest ones, {old} is a cursor in the
// middle of the list of orders.
var pages = []string{
	"", "/orders", "/orders?after={old}", "/orders?q=nobody@example.com", "/orders/{order}", "/negotiations", "/negotiations/{negotiation}", "/lost", "/returns", "/money", "/money/payments",
	"/money/movements", "/find?q=tent", "/settings/audit-log",
}

// BenchmarkConsole opens pages of the console, one after the other.
//
//	PRODUCTS=1000 go test ./features/journey -run '^$' -bench BenchmarkConsole -benchtime 20x
//	PRODUCTS=100000 HISTORY=1000000 go test ./features/journey -run '^$' -bench BenchmarkConsole/postgres -benchtime 20x -timeout 30m
func BenchmarkConsole(b *testing.B) {
	asked(b)
	dir, program := b.TempDir(), built(b)
	b.Run("sqlite", func(b *testing.B) {
		s := start(b, program, "sqlite://"+filepath.Join(dir, "console.db"), 1)
		must(b, s.buyer.run(lived, clients))
		s.open(b)
	})
	b.Run("postgres", func(b *testing.B) {
		cluster := boottest.StartCluster(b, true)
		must(b, cluster.CreateDatabase("journey", ""))
		s := start(b, program, cluster.URL("journey"), 1)
		s.cluster = cluster
		s.live(b, max(history, lived))
		s.open(b)
	})
}

// open measures each page.
func (s *server) open(b *testing.B) {
	b.Helper()
	m := &looker{url: s.replicas[0].process.URL, project: s.project}
	must(b, m.join())
	ids := strings.NewReplacer(
		"{order}", m.newest(b, "/v1/orders"),
		"{negotiation}", m.newest(b, "/v1/negotiations"),
		"{old}", m.old(b),
	)
	for i, page := range pages {
		name := "/console/" + s.slug + page
		path := ids.Replace(name)
		b.Run(strings.ReplaceAll(strings.TrimPrefix(name, "/console/"), "/", ":"), func(b *testing.B) {
			if i%3 == 0 { // a session's page rate is limited, and so is a member's sign-in rate
				must(b, m.signIn())
			}
			must(b, m.page(path))
			before := s.cpu(b)
			var times []time.Duration
			for b.Loop() {
				began := time.Now()
				must(b, m.page(path))
				times = append(times, time.Since(began))
			}
			slices.Sort(times)
			b.ReportMetric(float64(s.cpu(b)-before)/float64(len(times)), "µs-server")
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// cpu returns the CPU time of the server and its database in µs.
func (s *server) cpu(b *testing.B) int64 {
	b.Helper()
	total, err := cpu(s.replicas[0].process.PID())
	must(b, err)
	if s.cluster != nil {
		database, err := cpuOfTree(s.ask(b, "postgres", "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"))
		must(b, err)
		total += database
	}
	return total
}

// looker is a member of the account who opens pages.
type looker struct {
	url, project string
	cookie       *http.Cookie
	signIns      int
}

const lookerEmail, lookerPassword = "owner@example.com", "correct horse battery"

func (m *looker) join() error {
	var invitation struct {
		Link string `json:"link"`
	}
	if err := m.api("POST", "/v1/members/invitations", `{"email": "`+lookerEmail+`", "role": "owner"}`, &invitation); err != nil {
		return err
	}
	at, err := url.Parse(invitation.Link)
	if err != nil {
		return err
	}
	return m.form(at.Path, url.Values{"name": {"Owner"}, "password": {lookerPassword}})
}

func (m *looker) signIn() error {
	return m.form("/console/sign-in", url.Values{"email": {lookerEmail}, "password": {lookerPassword}})
}

// form submits a form that begins a session.
func (m *looker) form(path string, values url.Values) error {
	m.cookie = nil
	m.signIns++
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, m.url+path, strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", m.signIns)) // sign-ins from one address are limited
	answer, err := m.send(r)
	if err != nil {
		return err
	}
	for _, c := range answer.Cookies() {
		if c.Name == "haggle_console" {
			m.cookie = c
		}
	}
	if m.cookie == nil {
		return fmt.Errorf("%s: %s, and no session", path, answer.Status)
	}
	return nil
}

func (m *looker) page(path string) error {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, m.url+path, http.NoBody)
	if err != nil {
		return err
	}
	r.AddCookie(m.cookie)
	answer, err := m.send(r)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, answer.Status)
	}
	return err
}

// send sends a request as a browser would from a page of the console, and reads the whole response.
func (m *looker) send(r *http.Request) (*http.Response, error) {
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := (&http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}).Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer, err
}

func (m *looker) api(method, path, body string, out any) error {
	r, err := http.NewRequestWithContext(context.Background(), method, m.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+boottest.Key)
	r.Header.Set("X-Project-ID", m.project)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s %s", method, path, answer.Status, text)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// newest returns the id of the first element of a list.
func (m *looker) newest(b *testing.B, path string) string {
	b.Helper()
	var page struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	must(b, m.api("GET", path+"?limit=1", "", &page))
	if len(page.Data) == 0 {
		b.Fatalf("%s is empty", path)
	}
	return page.Data[0].ID
}

// old returns a cursor in the middle of the list of orders.
func (m *looker) old(b *testing.B) string {
	b.Helper()
	var page struct {
		Meta struct {
			Total int    `json:"total"`
			Next  string `json:"next"`
		} `json:"meta"`
	}
	must(b, m.api("GET", "/v1/orders?limit=1", "", &page))
	must(b, m.api("GET", fmt.Sprintf("/v1/orders?limit=1&offset=%d", page.Meta.Total/2), "", &page))
	if page.Meta.Next == "" {
		b.Fatal("there are too few orders")
	}
	return page.Meta.Next
}
