package connectors_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/ports"
)

const secret = "sk_very_secret"

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type fixedClock time.Time

func (f fixedClock) Now() time.Time { return time.Time(f) }

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func platform(client *http.Client) *connectors.Platform {
	return connectors.New("Acme", client, fixedClock(noon))
}

func failure(err error) bool {
	var f *ports.PlatformFailure
	return errors.As(err, &f)
}

func refusal(err error) bool {
	var r *ports.PlatformRefusal
	return errors.As(err, &r)
}

func TestPlatform_Judge_statuses(t *testing.T) {
	t.Parallel()
	credentials := func(err error) bool { return errors.Is(err, ports.ErrCredentialsRefused) }
	waits := func(d time.Duration) func(error) bool {
		return func(err error) bool {
			var w ports.Throttled
			return errors.As(err, &w) && w.After == d
		}
	}
	cases := []struct {
		status int
		after  string
		is     func(error) bool
	}{
		{200, "", func(err error) bool { return err == nil }},
		{201, "", func(err error) bool { return err == nil }},
		{304, "", failure}, {400, "", refusal}, {401, "", credentials}, {403, "", credentials}, {402, "", refusal}, {404, "", refusal},
		{408, "", failure}, {409, "", refusal}, {422, "", refusal}, {500, "", failure}, {502, "", failure}, {503, "60", failure},
		{429, "", waits(5 * time.Second)}, {429, "2", waits(2 * time.Second)}, {429, "2.5", waits(2500 * time.Millisecond)},
		{429, "0", waits(100 * time.Millisecond)}, {429, "-3", waits(5 * time.Second)}, {429, "soon", waits(5 * time.Second)},
		{429, "86400", waits(5 * time.Minute)}, {429, "1e300", waits(5 * time.Minute)}, {429, "NaN", waits(5 * time.Second)},
		{429, noon.Add(90 * time.Second).Format(http.TimeFormat), waits(90 * time.Second)},
		{429, noon.Add(90 * time.Hour).Format(http.TimeFormat), waits(5 * time.Minute)},
		{429, noon.Add(-time.Hour).Format(http.TimeFormat), waits(time.Second)},
	}
	for _, c := range cases {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if c.after != "" {
				w.Header().Set("Retry-After", c.after)
			}
			w.WriteHeader(c.status)
			if c.status != 304 {
				fmt.Fprintf(w, `{"error": "%s"}`, secret)
			}
		})
		err := platform(nil).Ask(t.Context(), connectors.Request{URL: server.URL + "/?token=" + secret}, nil)
		if !c.is(err) || err != nil && strings.Contains(fmt.Sprintf("%+v %v", err, errors.Unwrap(err)), secret) {
			t.Errorf("%d %q: %v", c.status, c.after, err)
		}
	}
}

func TestPlatform_Judging(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, r.URL.Query().Get("why"))
	})
	p := platform(nil).Judging(func(a connectors.Answer) error {
		if string(a.Body) == "scope" {
			return &ports.PlatformRefusal{Reason: "A permission is missing."}
		}
		return nil
	})
	if err := p.Ask(t.Context(), connectors.Request{URL: server.URL + "?why=scope"}, nil); !refusal(err) {
		t.Error(err)
	}
	if err := p.Ask(t.Context(), connectors.Request{URL: server.URL + "?why=token"}, nil); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Error(err)
	}
}

func TestPlatform_Ask_requests(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		_ = json.NewEncoder(w).Encode([]string{r.Method, r.Header.Get("Content-Type"), r.Header.Get("X-Key"), body.String()})
	})
	for name, c := range map[string]struct {
		request connectors.Request
		want    []string
	}{
		"nothing": {connectors.Request{}, []string{"GET", "", "", ""}},
		"json": {
			connectors.Request{JSON: map[string]int{"a": 1}, Header: map[string]string{"X-Key": "k"}},
			[]string{"POST", "application/json", "k", `{"a":1}`},
		},
		"form":   {connectors.Request{Form: url.Values{"a": {"b c"}}}, []string{"POST", "application/x-www-form-urlencoded", "", "a=b+c"}},
		"method": {connectors.Request{Method: "PATCH", JSON: 1}, []string{"PATCH", "application/json", "", "1"}},
	} {
		c.request.URL = server.URL
		var got []string
		if err := platform(nil).Ask(t.Context(), c.request, &got); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestPlatform_Ask_unreadableAnswers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<html>" + secret, `{"n": "` + secret + `"}`, `{"n": 1} {"n": 2}`, `{"n": 1`, `{"n": 1e999}`, `[]`} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
		var into struct{ N int64 }
		err := platform(nil).Ask(t.Context(), connectors.Request{URL: server.URL}, &into)
		if !failure(err) || strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), secret) {
			t.Errorf("%q: %v (%v)", body, err, errors.Unwrap(err))
		}
	}
}

func TestPlatform_Decode_largeNumber(t *testing.T) {
	t.Parallel()
	var into map[string]any
	if err := platform(nil).Decode([]byte(`{"id": 9007199254740993}`), &into); err != nil || into["id"] != json.Number("9007199254740993") {
		t.Errorf("%v, %v", into, err)
	}
}

// An answer of 50 MiB is not read to its end, whether or not Content-Length announces it.
func TestPlatform_Send_longAnswers(t *testing.T) {
	for name, most := range map[string]uint64{"announced": 8 << 20, "not announced": 128 << 20} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if name == "announced" {
				w.Header().Set("Content-Length", fmt.Sprint(50<<20))
			}
			chunk := bytes.Repeat([]byte("x"), 1<<20)
			for range 50 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := platform(nil).Send(t.Context(), connectors.Request{URL: server.URL})
		runtime.ReadMemStats(&after)
		if !failure(err) || !strings.Contains(err.Error(), "8 MiB") {
			t.Errorf("%s: %v", name, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > most {
			t.Errorf("%s: %d MiB were allocated", name, grown>>20)
		}
	}
}

func TestPlatform_Ask_noAnswer(t *testing.T) {
	t.Parallel()
	cut := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "half")
	})
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, address := range map[string]string{"refused": "http://127.0.0.1:1", "cut": cut.URL, "slow": slow.URL, "no address": "http://a b/"} {
		err := platform(&http.Client{Timeout: 100 * time.Millisecond}).Ask(t.Context(), connectors.Request{URL: address + "/" + secret}, nil)
		if !failure(err) || strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), secret) {
			t.Errorf("%s: %v (%v)", name, err, errors.Unwrap(err))
		}
		if name == "slow" && !strings.Contains(err.Error(), "in time") {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := platform(nil).Ask(ctx, connectors.Request{URL: slow.URL}, nil); !errors.Is(err, context.DeadlineExceeded) || failure(err) {
		t.Errorf("the caller gave up, and it is %v", err)
	}
}

// No credentials are sent to another host.
func TestPlatform_Ask_redirects(t *testing.T) {
	t.Parallel()
	reached := false
	other := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/near":
			http.Redirect(w, r, "/here", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		}
	})
	key := map[string]string{"X-Key": secret}
	for _, path := range []string{"/away", "/round"} {
		if err := platform(nil).Ask(t.Context(), connectors.Request{URL: server.URL + path, Header: key}, nil); !failure(err) || reached {
			t.Errorf("%s: %v, reached %v", path, err, reached)
		}
	}
	if err := platform(nil).Ask(t.Context(), connectors.Request{URL: server.URL + "/near", Header: key}, nil); err != nil {
		t.Error(err)
	}
	if err := platform(nil).Ask(t.Context(), connectors.Request{URL: server.URL + "/near", JSON: 1}, nil); !failure(err) {
		t.Errorf("a POST was sent on: %v", err)
	}
}

func TestPlatform_Token(t *testing.T) {
	t.Parallel()
	refused := func(err error) bool { return errors.Is(err, ports.ErrCredentialsRefused) }
	throttled := func(err error) bool {
		var w ports.Throttled
		return errors.As(err, &w) && w.After == 7*time.Second
	}
	for _, c := range []struct {
		status int
		body   string
		is     func(error) bool
	}{
		{200, `{"access_token": "at", "token_type": "bearer"}`, func(err error) bool { return err == nil }},
		{200, `{"error": "bad_verification_code"}`, refused}, {400, `{"error": "invalid_grant"}`, refused}, {401, "", refused},
		{429, "", throttled}, {500, secret, failure}, {200, "<html>" + secret, failure}, {200, `{"token_type": "` + secret + `"}`, failure},
		{302, "", failure},
	} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		})
		app := oauth2.Config{
			ClientID:     "app",
			ClientSecret: secret,
			Endpoint:     oauth2.Endpoint{TokenURL: server.URL, AuthStyle: oauth2.AuthStyleInParams},
		}
		token, err := platform(nil).Token(t.Context(), func(ctx context.Context) (*oauth2.Token, error) { return app.Exchange(ctx, secret) })
		if !c.is(err) || strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), secret) || (err == nil) != (token != nil) {
			t.Errorf("%d %s: %v (%v)", c.status, c.body, err, errors.Unwrap(err))
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"as it is": "as it is", "a\x00b\n c\x1b[31m": "a b c [31m", "key " + secret + "!": "key …!", "\xff": "�", strings.Repeat("é", 300): strings.Repeat("é", 200) + "…",
	} {
		if got := connectors.Plain(text, "", secret); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
