package shopify_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/ports"
)

// lastRead is when the version was last compared with https://shopify.dev/docs/api/usage/versioning.
var lastRead = time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)

// builtAt returns the date by which the version is judged: SOURCE_DATE_EPOCH, which reproducible builds set; else the date of
// the last commit, so that one commit always passes or always fails; else, outside of a repository, lastRead.
func builtAt(t *testing.T) (at time.Time, source string) {
	t.Helper()
	text, source := os.Getenv("SOURCE_DATE_EPOCH"), "SOURCE_DATE_EPOCH"
	if text == "" {
		out, err := exec.CommandContext(t.Context(), "git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return lastRead, "the date in this test"
		}
		text, source = strings.TrimSpace(string(out)), "the last commit"
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return time.Unix(seconds, 0).UTC(), source
}

// tooOld reports whether a version was released more than nine months before a date.
func tooOld(version string, at time.Time) (bool, error) {
	released, err := time.Parse("2006-01", version)
	return at.After(released.AddDate(0, 9, 0)), err
}

func TestVersion_age(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]bool{"2026-10-01": false, "2027-07-01": false, "2027-07-02": true, "2028-01-01": true} {
		day, _ := time.Parse(time.DateOnly, at)
		if old, err := tooOld("2026-10", day); old != want || err != nil {
			t.Errorf("2026-10 at %s: too old is %v, %v", at, old, err)
		}
	}
	at, source := builtAt(t)
	t.Logf("judged at %s, by %s", at.Format(time.DateOnly), source)
	switch old, err := tooOld(shopify.Version, at); {
	case err != nil:
		t.Error(err)
	case old:
		t.Errorf("version %s of Shopify's API is more than nine months old at %s (%s): read the release notes since, and set a newer one",
			shopify.Version, at.Format(time.DateOnly), source)
	}
}

// An answer with another version than the requested one is logged once per account, not for each request.
func TestVersion_answeredByAnother(t *testing.T) {
	t.Parallel()
	version := shopify.Version
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Shopify-API-Version", version)
		fmt.Fprint(w, `{"data": {"shop": {"id": "gid://shopify/Shop/1", "currencyCode": "EUR"}}}`)
	}))
	t.Cleanup(server.Close)
	var log bytes.Buffer
	c := shopify.New(shopify.Config{
		URL:   server.URL,
		Clock: fixedClock(noon),
		Log:   slog.New(slog.NewTextHandler(&log, nil)),
	})
	ask := func(key string) {
		conn := connection(t)
		conn.Key = key
		for range 3 {
			if _, err := c.Inspect(ports.NewOutbound(t.Context()), conn); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask("int_1")
	if log.Len() > 0 || c.OtherVersion("int_1") != "" {
		t.Errorf("the version that was asked for: %s", log.String())
	}
	version = "2027-01"
	ask("int_1")
	ask("int_2")
	if n := strings.Count(log.String(), "level=WARN"); n != 2 || !strings.Contains(log.String(), "answered=2027-01") || c.OtherVersion("int_2") != "2027-01" {
		t.Errorf("%d warnings, want one for each account: %s", n, log.String())
	}
}
