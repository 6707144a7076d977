package agentprofiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// web is an http.RoundTripper that answers requests for profiles.
type web struct {
	asked  atomic.Int64
	answer func(r *http.Request) (*http.Response, error)
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	w.asked.Add(1)
	return w.answer(r)
}

func says(status int, body string, header ...string) *http.Response {
	r := &http.Response{
		StatusCode: status,
		Header:     http.Header{},
		Body:       io.NopCloser(strings.NewReader(body)),
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

var good = profile("2026-08-25", "", "")

// network is a ports.Addresses that considers hosts private whose names begin with inside.
type network struct{}

func (network) LeadsInside(url string) bool { return strings.Contains(url, "//inside") }

// profiles returns Profiles that fetch from a web and use the clock of the test's synctest bubble.
func profiles(w *web) *Profiles {
	return New(Config{
		Client:    &http.Client{Transport: w},
		UserAgent: "Haggle/1",
		Addresses: network{},
		Now:       time.Now,
		Log:       slog.New(slog.DiscardHandler),
	})
}

func find(t *testing.T, p *Profiles, address string) error {
	t.Helper()
	got, err := p.Profile(ports.NewOutbound(t.Context()), address, "")
	if err == nil && got.URL != address {
		t.Errorf("%s is answered for %s", got.URL, address)
	}
	return err
}

func TestProfile_known(t *testing.T) {
	t.Parallel()
	w := &web{answer: func(*http.Request) (*http.Response, error) { return nil, errors.New("not there") }}
	p := profiles(w)
	const corporate = "https://inside.example/agent"
	p.Known = map[string]agentid.Profile{address: {URL: address}, corporate: {URL: corporate}}
	if err := find(t, p, corporate); err != nil {
		t.Errorf("a known profile on a private host: %v", err)
	}
	if err := find(t, p, corporate+"/other"); !fault.Is(err, "invalid_profile_url") {
		t.Errorf("another one: %v", err)
	}
	for _, ask := range []func(ports.Outbound, string, string) (agentid.Profile, error){p.Profile, p.Renew} {
		if got, err := ask(ports.NewOutbound(t.Context()), address, ""); err != nil || got.URL != address {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if w.asked.Load() != 0 {
		t.Error("a known profile, or one on a private host, was fetched")
	}
}

// A profile is cached for its lifetime.
func TestLifetime(t *testing.T) {
	t.Parallel()
	for control, want := range map[string]time.Duration{
		"":                                      time.Minute,
		"public":                                time.Minute,
		"public, max-age=300":                   5 * time.Minute,
		"Max-Age=300, public":                   5 * time.Minute,
		`max-age="300"`:                         5 * time.Minute,
		"max-age=1":                             time.Minute,
		"max-age=0, no-store":                   time.Minute,
		"max-age=-1":                            time.Minute,
		"max-age=soon":                          time.Minute,
		"max-age=":                              time.Minute,
		`max-age=""`:                            time.Minute,
		"max-age=86400":                         24 * time.Hour,
		"max-age=31536000":                      24 * time.Hour,
		"max-age=99999999999999999999999999":    24 * time.Hour,
		"s-maxage=9, stale-while-revalidate=10": time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{answer: func(*http.Request) (*http.Response, error) { return says(200, good, "Cache-Control", control), nil }}
			p := profiles(w)
			asked := func() int64 {
				if err := find(t, p, address); err != nil {
					t.Fatal(err)
				}
				return w.asked.Load()
			}
			first := asked()
			time.Sleep(want - time.Millisecond)
			kept := asked()
			time.Sleep(time.Millisecond)
			if again := asked(); first != 1 || kept != 1 || again != 2 {
				t.Errorf("%q: fetched %d times, %d before %s were over, and %d after", control, first, kept, want, again)
			}
		})
	}
}

// Failures are cached for half a minute, then twice as long each time, ten minutes at most. A success resets that.
func TestProfile_failures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fails := true
		w := &web{answer: func(*http.Request) (*http.Response, error) {
			if fails {
				return says(500, ""), nil
			}
			return says(200, good), nil
		}}
		p := profiles(w)
		unreachable := func() bool { return fault.Is(find(t, p, address), "profile_unreachable") }
		for n, pause := range []time.Duration{30, 60, 120, 240, 480, 600, 600} {
			if !unreachable() || w.asked.Load() != int64(n+1) {
				t.Fatalf("attempt %d: asked %d times", n, w.asked.Load())
			}
			time.Sleep(pause*time.Second - time.Millisecond)
			if !unreachable() || w.asked.Load() != int64(n+1) {
				t.Fatalf("attempt %d came before %d s were over", n+1, pause)
			}
			time.Sleep(time.Millisecond)
		}
		fails = false
		if err := find(t, p, address); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		fails = true
		if !unreachable() { // it has expired, and is gone
			t.Error("an old profile is answered")
		}
		before := w.asked.Load()
		time.Sleep(30 * time.Second)
		if !unreachable() || w.asked.Load() != before+1 {
			t.Error("the pauses did not begin anew")
		}
	})
}

func TestProfile_refuses(t *testing.T) {
	t.Parallel()
	const unreachable, malformed = "profile_unreachable", "profile_malformed"
	for name, test := range map[string]struct {
		answer func(r *http.Request) (*http.Response, error)
		want   string
		took   time.Duration
	}{
		"no connection": {func(*http.Request) (*http.Response, error) { return nil, errors.New("10.1.2.3: connection refused") }, unreachable, 0},
		"not found":     {func(*http.Request) (*http.Response, error) { return says(404, good), nil }, unreachable, 0},
		"not modified":  {func(*http.Request) (*http.Response, error) { return says(304, ""), nil }, unreachable, 0},
		"HTML":          {func(*http.Request) (*http.Response, error) { return says(200, "<p>", "Content-Type", "text/html"), nil }, malformed, 0},
		"no body":       {func(*http.Request) (*http.Response, error) { return says(204, ""), nil }, malformed, 0},
		"compressed":    {func(*http.Request) (*http.Response, error) { return says(200, good, "Content-Encoding", "gzip"), nil }, malformed, 0},
		"endless": {func(*http.Request) (*http.Response, error) {
			r := says(200, "")
			r.Body = io.NopCloser(endless{})
			return r, nil
		}, malformed, 0},
		"cut off": {func(*http.Request) (*http.Response, error) {
			r := says(200, "")
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader(good), broken{}))
			return r, nil
		}, unreachable, 0},
		"a hanging server": {func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, unreachable, 3 * time.Second},
		"a slow body": {func(r *http.Request) (*http.Response, error) {
			answer := says(200, "")
			answer.Body = io.NopCloser(slow{r.Context()})
			return answer, nil
		}, unreachable, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			err := find(t, profiles(&web{answer: test.answer}), address)
			if !fault.Is(err, test.want) || time.Since(begin) != test.took {
				t.Errorf("%s: %v after %s", name, err, time.Since(begin))
			}
			var f *fault.Error
			if errors.As(err, &f) && strings.Contains(f.Message, "10.1.2.3") {
				t.Errorf("%s: %q tells of our network", name, f.Message)
			}
		})
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return copy(b, strings.Repeat("[", len(b))), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// slow sends a byte a second until its context ends.
type slow struct{ ctx context.Context }

func (s slow) Read(b []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		b[0] = ' '
		return 1, nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

// A request for a profile contains only the sender's name.
func TestProfile_request(t *testing.T) {
	t.Parallel()
	w := &web{answer: func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet || r.URL.String() != address || r.Header.Get("User-Agent") != "Haggle/1" || len(r.Header) != 2 {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		return says(200, good), nil
	}}
	if err := find(t, profiles(w), address); err != nil {
		t.Error(err)
	}
}

// Concurrent callers of the same profile share one request. Each waits until its own context ends.
func TestProfile_together(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &web{answer: func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(2 * time.Second):
				return says(200, good), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}}
		p := profiles(w)
		var found, left atomic.Int64
		for n := range 20 {
			ctx, cancel := ports.NewOutbound(t.Context()).WithTimeout(map[bool]time.Duration{true: time.Second, false: time.Minute}[n == 0])
			go func() {
				defer cancel()
				switch _, err := p.Profile(ctx, address, ""); {
				case err == nil:
					found.Add(1)
				case errors.Is(err, context.DeadlineExceeded):
					left.Add(1)
				}
			}()
			synctest.Wait() // the first to come is the first to leave
		}
		time.Sleep(time.Minute)
		if found.Load() != 19 || left.Load() != 1 || w.asked.Load() != 1 {
			t.Errorf("%d found it, %d left, by %d requests", found.Load(), left.Load(), w.asked.Load())
		}
	})
}

// A hanging server delays only callers that name it.
func TestProfile_hangingServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &web{answer: func(r *http.Request) (*http.Response, error) {
			if strings.HasPrefix(r.URL.Host, "hangs") {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return says(200, good), nil
		}}
		p := profiles(w)
		var waited, refused atomic.Int64
		for n := range 200 { // of 10 addresses that hang
			go func() {
				begin := time.Now()
				err := find(t, p, fmt.Sprintf("https://hangs.example/%d", n%10))
				switch {
				case fault.Is(err, "profile_unreachable") && time.Since(begin) == patience:
					waited.Add(1)
				case fault.Is(err, "overloaded") && time.Since(begin) == 0:
					refused.Add(1)
				default:
					t.Errorf("%v after %s", err, time.Since(begin))
				}
			}()
		}
		synctest.Wait()
		time.Sleep(time.Second) // so that the rate is available again
		begin := time.Now()
		if err := find(t, p, address); err != nil || time.Since(begin) != 0 {
			t.Errorf("another agent: %v after %s", err, time.Since(begin))
		}
		time.Sleep(time.Minute)
		if waited.Load() != 20*ofStrangers || waited.Load()+refused.Load() != 200 {
			t.Errorf("%d waited, %d were refused", waited.Load(), refused.Load())
		}
	})
}

// Unknown addresses are fetched four times a second. One more request is reserved for profiles that were read before.
func TestProfile_rate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &web{answer: func(*http.Request) (*http.Response, error) { return says(200, good), nil }}
		p := profiles(w)
		if err := find(t, p, address); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // it expires
		for second := range 3 {
			before := w.asked.Load()
			for n := range 100 {
				err := find(t, p, fmt.Sprintf("https://made-up.example/%d/%d", second, n))
				var f *fault.Error
				if errors.As(err, &f) && (f.Kind != fault.Unavailable || f.RetryAfter != time.Second) || err != nil && f == nil {
					t.Fatal(err)
				}
			}
			if got := w.asked.Load() - before; got != ofStrangers {
				t.Errorf("%d requests in a second", got)
			}
			if second == 1 {
				if err := find(t, p, address); err != nil {
					t.Errorf("a profile that was read before: %v", err)
				}
			}
			time.Sleep(time.Second)
		}
		// A refused request is not cached as a failure of the server.
		if err := find(t, p, "https://made-up.example/2/99"); err != nil {
			t.Error(err)
		}
	})
}

// The cache is bounded in number and size.
func TestProfile_bounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		large := profile("2026-08-25", "", `,"x":"`+strings.Repeat("x", MaxSize-200)+`"`)
		w := &web{answer: func(r *http.Request) (*http.Response, error) {
			switch r.URL.Host {
			case "large.example":
				return says(200, large, "Cache-Control", "max-age=86400"), nil
			case "fails.example":
				return says(404, ""), nil
			}
			return says(200, good, "Cache-Control", "max-age=86400"), nil
		}}
		p := profiles(w)
		for host, asked := range map[string]int{"small": mostKept + 10, "fails": mostKept + 10} {
			for n := range asked {
				_ = find(t, p, fmt.Sprintf("https://%s.example/%d", host, n))
				time.Sleep(time.Second)
			}
			if kept, failed := p.kept.Len(), p.failed.Len(); kept > mostKept || failed > mostKept || p.bytes > mostBytes {
				t.Errorf("%s: %d profiles of %d bytes are kept, and %d failures", host, kept, p.bytes, failed)
			}
		}
		for n := range mostBytes/MaxSize + 20 {
			_ = find(t, p, fmt.Sprintf("https://large.example/%d", n))
			time.Sleep(time.Second)
		}
		if n := p.kept.Len(); n != mostBytes/len(large) {
			t.Errorf("%d large profiles are kept", n)
		}
		if p.bytes != p.kept.Len()*len(large) {
			t.Errorf("%d profiles count for %d bytes", p.kept.Len(), p.bytes)
		}
		time.Sleep(24 * time.Hour) // a profile that is read again counts once
		for range 2 {
			_ = find(t, p, "https://large.example/100")
			time.Sleep(24 * time.Hour)
		}
		if p.bytes != p.kept.Len()*len(large) {
			t.Errorf("%d profiles count for %d bytes after one was read again", p.kept.Len(), p.bytes)
		}
		p.kept.Purge()
		if p.bytes != 0 {
			t.Errorf("nothing counts for %d bytes", p.bytes)
		}
	})
}

// A client that names unknown hosts uses up its own share only. All clients together are still bounded by the overall rate.
func TestProfile_shares(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &web{answer: func(*http.Request) (*http.Response, error) { return says(200, good), nil }}
		p := profiles(w)
		names := 0
		ask := func(asker string) error {
			names++
			_, err := p.Profile(ports.NewOutbound(t.Context()), fmt.Sprintf("https://strange.example/%d", names), asker)
			if err != nil && !fault.Is(err, "overloaded") {
				t.Fatal(err)
			}
			return err
		}
		for second := range 10 {
			served := map[string]int{}
			for range 10 {
				if ask("loud") == nil {
					served["loud"]++
				}
			}
			for _, asker := range []string{"one", "other", "third"} {
				if ask(asker) == nil {
					served[asker]++
				}
			}
			if served["loud"] != ofClient || served["one"] != 1 || served["other"] != 1 || served["third"] != 0 {
				t.Errorf("second %d: %v", second, served)
			}
			time.Sleep(time.Second)
		}
		if got := w.asked.Load(); got != 10*ofStrangers {
			t.Errorf("asked %d times", got)
		}
		for n := range 2 * mostClients {
			_ = ask(fmt.Sprint(n))
		}
		if n := p.shares.Len(); n > mostClients {
			t.Errorf("the shares of %d clients are counted", n)
		}
	})
}

// A client that waits for another client's request is not refused when that client's share is used up.
func TestProfile_sharesOfAFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &web{answer: func(*http.Request) (*http.Response, error) { return says(200, good), nil }}
		p := profiles(w)
		for n := range ofClient {
			if _, err := p.Profile(ports.NewOutbound(t.Context()), fmt.Sprintf("https://strange.example/%d", n), "loud"); err != nil {
				t.Fatal(err)
			}
		}
		go p.flights.Do(address, func() (any, error) { // the first client's request, which will be refused
			time.Sleep(time.Millisecond)
			return agentid.Profile{}, p.admit(address, "loud")
		})
		synctest.Wait()
		if _, err := p.Profile(ports.NewOutbound(t.Context()), address, "quiet"); err != nil {
			t.Error(err)
		}
	})
}

// A profile is renewed for an unknown key at most once a minute per origin. If that fails, the cached one stays valid.
func TestRenew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body, status := good, 200
		w := &web{answer: func(*http.Request) (*http.Response, error) {
			return says(status, body, "Cache-Control", "max-age=86400"), nil
		}}
		p := profiles(w)
		renewed := func(address string) agentid.Profile {
			t.Helper()
			got, err := p.Renew(ports.NewOutbound(t.Context()), address, "")
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		step := func(about string, want int64) {
			t.Helper()
			if got := w.asked.Load(); got != want {
				t.Errorf("%s: asked %d times, not %d", about, got, want)
			}
		}
		if err := find(t, p, address); err != nil {
			t.Fatal(err)
		}
		step("at first", 1)
		body = keys(`{"kid":"new","kty":"RSA"}`)
		if got := renewed(address); len(got.Keys) != 1 {
			t.Errorf("%+v", got)
		}
		step("the first time", 2)
		time.Sleep(renewEvery - time.Millisecond)
		renewed(address)
		step("within a minute", 2)
		if err := find(t, p, "https://AGENT.example/other"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
		status = 500
		if got := renewed(address); len(got.Keys) != 1 {
			t.Errorf("%+v", got)
		}
		step("the server fails", 4)
		if err := find(t, p, address); err != nil {
			t.Errorf("what there was is gone: %v", err)
		}
		time.Sleep(renewEvery - time.Millisecond)
		renewed("https://AGENT.example/other")
		step("another profile of the origin", 4)
		time.Sleep(time.Millisecond)
		status = 200
		renewed("https://AGENT.example/other")
		step("another profile of the origin, a minute later", 5)
	})
}

// A panic while a profile is read is an error of that request only.
func TestProfile_panic(t *testing.T) {
	t.Parallel()
	p := profiles(&web{answer: func(*http.Request) (*http.Response, error) { panic("boom") }})
	if err := find(t, p, address); !errors.Is(err, fault.ErrPanic) {
		t.Error(err)
	}
	if _, err := Read([]byte(good), address, false); err != nil || capability.Current().String() != "2026-08-25" {
		t.Fatal("the profile of these tests is of another version")
	}
}
