package demo_test

import (
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

// simulatorThat is a script in the place of haggle-sim.
func simulatorThat(t *testing.T, does string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it runs a shell script")
	}
	path := filepath.Join(t.TempDir(), "haggle-sim")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+does), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// bare is a demo without history.
func bare(t *testing.T, change ...func(*boot.Config)) living {
	t.Helper()
	database := boottest.Engines[0].URL(t)
	l := living{
		T:   t,
		app: boottest.Start(t, database, change...),
		db:  boottest.Inspect(t, database),
	}
	var err error
	if l.shop, err = l.app.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

// send asks for something, and returns the status and the text of the answer.
func (l living) send(client *http.Client, method, address, kind, body string) (int, string) {
	l.Helper()
	r, err := http.NewRequestWithContext(l.Context(), method, address, strings.NewReader(body))
	if err != nil {
		l.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	if strings.Contains(address, "/console") {
		r.Header.Set("Origin", l.app.URL())
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	} else {
		r.Header.Set("Authorization", "Bearer "+l.shop.Key)
		r.Header.Set("X-Project-ID", l.shop.Project.String())
	}
	answer, err := client.Do(r)
	if err != nil {
		l.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		l.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// signIn is a browser in which the owner has followed the link that the start prints.
func (l living) signIn() *http.Client {
	l.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		l.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	if status, text := l.send(browser, "POST", l.shop.Console, "application/x-www-form-urlencoded", ""); status != http.StatusOK {
		l.Fatalf("signing in: %d %s", status, text)
	}
	return browser
}

func TestSendBuyers(t *testing.T) {
	told := filepath.Join(t.TempDir(), "told")
	path := simulatorThat(t, `echo "$@" >> `+told+`; exec sleep 600`)
	l := bare(t, func(c *boot.Config) { c.Simulator = path })
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
		status, text := l.send(http.DefaultClient, "POST", l.app.URL()+address, "application/json", c.body)
		if status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s, want %d %s", c.body, status, text, c.status, c.says)
		}
	}
	if n := l.count("SELECT count(*) FROM audit_events WHERE action = 'send-test-buyers'"); n != 1 {
		t.Errorf("the audit log has %d runs", n)
	}
	want := "shop --url " + l.app.URL() + " --project demo --buyers 7 "
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		text, _ := os.ReadFile(told)
		if strings.Contains(string(text), want) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program was told %q, want %q", text, want)
		}
	}
}

func TestSendBuyers_fromTheConsole(t *testing.T) {
	path := simulatorThat(t, "exec sleep 600")
	l := bare(t, func(c *boot.Config) { c.Simulator = path })
	browser := l.signIn()
	today := l.app.URL() + "/console/demo"
	if _, page := l.send(browser, "GET", today, "", ""); !strings.Contains(page, "Send 20 test buyers") {
		t.Errorf("there is no button on %s", page)
	}
	form := url.Values{"key": {"a key"}}.Encode()
	status, page := l.send(browser, "POST", today+"/buyers", "application/x-www-form-urlencoded", form)
	if status != http.StatusOK || !strings.Contains(page, "on their way") || !strings.Contains(page, "Test buyers under way") || strings.Contains(page, "Send 20") {
		t.Errorf("%d %s", status, page)
	}
	form = url.Values{"key": {"another key"}}.Encode()
	if _, page := l.send(browser, "POST", today+"/buyers", "application/x-www-form-urlencoded", form); !strings.Contains(page, "on their way already") {
		t.Errorf("a second run is not refused on %s", page)
	}
}

// Without haggle-sim there is no button.
func TestSendBuyers_withoutAProgram(t *testing.T) {
	l := bare(t, func(c *boot.Config) { c.Simulator = filepath.Join(t.TempDir(), "haggle-sim") })
	if _, page := l.send(l.signIn(), "GET", l.app.URL()+"/console/demo", "", ""); strings.Contains(page, "test buyers") || !strings.Contains(page, "Today") {
		t.Errorf("there is a button on %s", page)
	}
	if status, text := l.send(http.DefaultClient, "POST", l.app.URL()+"/v1/sandbox/buyers", "application/json", "{}"); status != 409 || !strings.Contains(text, "buyers_unavailable") {
		t.Errorf("%d %s", status, text)
	}
}

func TestSendBuyers_notInProduction(t *testing.T) {
	path := simulatorThat(t, "exec sleep 600")
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
