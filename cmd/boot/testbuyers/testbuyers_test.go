// Package testbuyers_test sends simulated buyers to a server in the sandbox, by the Management API and by the console. A shell
// script stands in for haggle-sim.
package testbuyers_test

import (
	"database/sql"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// fakeSimulator writes a shell script that stands in for haggle-sim, and returns its path.
func fakeSimulator(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it runs a shell script")
	}
	path := filepath.Join(t.TempDir(), "haggle-sim")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// demoServer is a server with the demo's shop, without its history.
type demoServer struct {
	*testing.T
	app  *boot.App
	shop boot.DemoShop
	db   *sql.DB
}

func startDemo(t *testing.T, simulator string) demoServer {
	t.Helper()
	database := boottest.Engines[0].URL(t)
	s := demoServer{
		T:   t,
		app: boottest.Start(t, database, func(c *boot.Config) { c.Simulator = simulator }),
		db:  boottest.Inspect(t, database),
	}
	var err error
	if s.shop, err = s.app.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// send sends a request, and returns the status and the body of the response. Requests to the console are those of a browser;
// others have the demo's API key.
func (s demoServer) send(client *http.Client, method, address, kind, body string) (int, string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, address, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	if strings.Contains(address, "/console") {
		r.Header.Set("Origin", s.app.URL())
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	} else {
		r.Header.Set("Authorization", "Bearer "+s.shop.Key)
		r.Header.Set("X-Project-ID", s.shop.Project.String())
	}
	answer, err := client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// signIn returns a browser in which the owner has followed the sign-in link that the server prints when it starts.
func (s demoServer) signIn() *http.Client {
	s.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	if status, text := s.send(browser, "POST", s.shop.Console, "application/x-www-form-urlencoded", ""); status != http.StatusOK {
		s.Fatalf("signing in: %d %s", status, text)
	}
	return browser
}

func TestSendBuyers(t *testing.T) {
	arguments := filepath.Join(t.TempDir(), "arguments")
	path := fakeSimulator(t, `echo "$@" >> `+arguments+`; exec sleep 600`)
	s := startDemo(t, path)
	const address = "/v1/sandbox/buyers"
	for _, c := range []struct {
		body   string
		status int
		says   string
	}{
		{`{"count": 0}`, 422, "count"},
		{`{"count": 51}`, 422, "count"},
		{`{"count": 7}`, 202, `"running":true`},
		{`{}`, 409, "buyers_running"},
	} {
		status, text := s.send(http.DefaultClient, "POST", s.app.URL()+address, "application/json", c.body)
		if status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s, want %d %s", c.body, status, text, c.status, c.says)
		}
	}
	var runs int
	if err := s.db.QueryRow("SELECT count(*) FROM audit_events WHERE action = 'send-test-buyers'").Scan(&runs); err != nil || runs != 1 {
		t.Errorf("the audit log has %d runs, %v", runs, err)
	}
	want := "shop --url " + s.app.URL() + " --project demo --buyers 7 "
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		text, _ := os.ReadFile(arguments)
		if strings.Contains(string(text), want) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program was called with %q, want %q", text, want)
		}
	}
}

func TestSendBuyers_console(t *testing.T) {
	path := fakeSimulator(t, "exec sleep 600")
	s := startDemo(t, path)
	browser := s.signIn()
	today := s.app.URL() + "/console/demo"
	if _, page := s.send(browser, "GET", today, "", ""); !strings.Contains(page, "Send 20 test buyers") {
		t.Errorf("there is no button on %s", page)
	}
	form := url.Values{"key": {"a key"}}.Encode()
	status, page := s.send(browser, "POST", today+"/buyers", "application/x-www-form-urlencoded", form)
	if status != http.StatusOK || !strings.Contains(page, "on their way") || !strings.Contains(page, "Test buyers under way") || strings.Contains(page, "Send 20") {
		t.Errorf("%d %s", status, page)
	}
	form = url.Values{"key": {"another key"}}.Encode()
	if _, page := s.send(browser, "POST", today+"/buyers", "application/x-www-form-urlencoded", form); !strings.Contains(page, "are running already") {
		t.Errorf("a second run is not refused on %s", page)
	}
}

// Without haggle-sim the console has no button, and the API refuses.
func TestSendBuyers_withoutSimulator(t *testing.T) {
	s := startDemo(t, filepath.Join(t.TempDir(), "haggle-sim"))
	if _, page := s.send(s.signIn(), "GET", s.app.URL()+"/console/demo", "", ""); strings.Contains(page, "test buyers") || !strings.Contains(page, "Today") {
		t.Errorf("there is a button on %s", page)
	}
	if status, text := s.send(http.DefaultClient, "POST", s.app.URL()+"/v1/sandbox/buyers", "application/json", "{}"); status != 409 || !strings.Contains(text, "buyers_unavailable") {
		t.Errorf("%d %s", status, text)
	}
}

func TestSendBuyers_production(t *testing.T) {
	path := fakeSimulator(t, "exec sleep 600")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	boottest.Start(t, boottest.Engines[0].URL(t), func(c *boot.Config) {
		c.Addr, c.PublicURL, c.Env, c.BootstrapKey = address, "https://haggle.example", "production", ""
		c.MasterKey, c.Simulator = strings.Repeat("a key of some length ", 3), path
	})
	answer, err := http.Get("http://" + address + "/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || strings.Contains(string(text), "/v1/sandbox") || !strings.Contains(string(text), "/v1/attention") {
		t.Errorf("the document of a production server has test buyers, or cannot be read: %v", err)
	}
}
