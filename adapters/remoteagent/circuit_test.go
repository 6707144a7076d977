package remoteagent_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/remoteagent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// stubTransport answers with a status after a delay, and counts the requests. It is for tests in a synctest bubble.
type stubTransport struct {
	status int
	asked  int
	slow   time.Duration
}

func (l *stubTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	l.asked++
	select {
	case <-time.After(l.slow):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if l.status == 0 {
		return nil, errors.New("no connection")
	}
	return &http.Response{
		StatusCode: l.status,
		Body:       io.NopCloser(strings.NewReader(`{"status": "accept"}`)),
		Request:    r,
	}, nil
}

func agentsOver(l *stubTransport) *remoteagent.Agents {
	return remoteagent.New(&http.Client{Transport: l}, wallClock{}, &counting{}, "")
}

func to(url string) ports.RemoteHandler {
	return ports.RemoteHandler{
		Agent:  self,
		URL:    url,
		Secret: secret,
	}
}

const here = "https://merchant.example/agent"

func TestCircuit_fiveFailures(t *testing.T) {
	for status, code := range map[int]string{0: "agent_unreachable", 500: "agent_refused"} {
		synctest.Test(t, func(t *testing.T) {
			l := &stubTransport{status: status}
			a := agentsOver(l)
			ask := func(url string) error { return calls["quote"](t.Context(), a, to(url)) }
			for range 5 {
				mustFail(t, ask(here), code)
			}
			mustFail(t, ask(here), "agent_suspended")
			if l.asked != 5 {
				t.Errorf("asked %d times", l.asked)
			}
			mustFail(t, ask(here+"/other"), code)
			// After the pause one trial fails, and the pause starts again; a later one succeeds.
			time.Sleep(30*time.Second + time.Millisecond)
			mustFail(t, ask(here), code)
			mustFail(t, ask(here), "agent_suspended")
			time.Sleep(29 * time.Second)
			mustFail(t, ask(here), "agent_suspended")
			time.Sleep(time.Second + time.Millisecond)
			l.status = 200
			for range 3 {
				if err := ask(here); err != nil {
					t.Error(err)
				}
			}
			// Earlier failures are forgotten: it takes five again.
			l.status = status
			for range 5 {
				mustFail(t, ask(here), code)
			}
			mustFail(t, ask(here), "agent_suspended")
		})
	}
}

func TestCircuit_oneTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &stubTransport{status: 500}
		a := agentsOver(l)
		for range 5 {
			_ = calls["quote"](t.Context(), a, to(here))
		}
		time.Sleep(31 * time.Second)
		l.slow, l.status = time.Second, 200
		tried := make(chan error)
		go func() { tried <- calls["quote"](t.Context(), a, to(here)) }()
		synctest.Wait()
		mustFail(t, calls["quote"](t.Context(), a, to(here)), "agent_suspended")
		if err := <-tried; err != nil || l.asked != 6 {
			t.Errorf("%v, asked %d times", err, l.asked)
		}
		if err := calls["quote"](t.Context(), a, to(here)); err != nil {
			t.Error(err)
		}
	})
}

// Ten failures among the last twenty requests suspend a handler, four in a row do not.
func TestCircuit_tenOfTwenty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for pattern, most := range map[string]int{"fs": 19, "ffs": 14, "ffffs": 12, "fss": 100, "fsss": 100, "s": 100} {
			l := &stubTransport{}
			a := agentsOver(l)
			for n := range 100 {
				l.status = map[byte]int{'f': 500, 's': 200}[pattern[n%len(pattern)]]
				_ = calls["quote"](t.Context(), a, to(here))
			}
			if l.asked != most {
				t.Errorf("%s: asked %d times, want %d", pattern, l.asked, most)
			}
		}
	})
}

func TestCircuit_nonsenseAndTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &stubTransport{status: 200} // its body is no valid answer to a checkout
		a := agentsOver(l)
		for range 5 {
			mustFail(t, calls["checkout"](t.Context(), a, to(here)), "agent_nonsense")
		}
		mustFail(t, calls["checkout"](t.Context(), a, to(here)), "agent_suspended")

		l = &stubTransport{status: 200, slow: time.Minute}
		a = agentsOver(l)
		began := time.Now()
		for range 5 {
			mustFail(t, calls["quote"](t.Context(), a, to(here)), "agent_timeout")
		}
		mustFail(t, calls["quote"](t.Context(), a, to(here)), "agent_suspended")
		if took := time.Since(began); took != 5*remoteagent.Timeout {
			t.Errorf("five took %s", took)
		}
	})
}

// A canceled call does not count as a failure of the handler, and does not end a trial.
func TestCircuit_canceledCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &stubTransport{status: 500}
		a := agentsOver(l)
		hangUp := func() error {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			l.slow = time.Second
			defer func() { l.slow = 0 }()
			return calls["quote"](ctx, a, to(here))
		}
		for range 8 {
			mustFail(t, hangUp(), "agent_timeout")
		}
		for range 5 {
			mustFail(t, calls["quote"](t.Context(), a, to(here)), "agent_refused")
		}
		time.Sleep(31 * time.Second)
		mustFail(t, hangUp(), "agent_timeout")
		l.status = 200
		if err := calls["quote"](t.Context(), a, to(here)); err != nil {
			t.Error(err)
		}
	})
}

// Concurrent calls of a working and a failing handler each get their own result.
func TestAgents_concurrent(t *testing.T) {
	t.Parallel()
	var failed atomic.Int64
	a, good := asking(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bad" {
			failed.Add(1)
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, `{"status": "accept", "results": [], "approve": true}`)
	})
	bad := good
	bad.URL += "/bad"
	var wg sync.WaitGroup
	for range 2 {
		for _, ask := range calls {
			wg.Go(func() {
				for range 40 {
					if err := ask(t.Context(), a, good); err != nil {
						t.Error(err)
					}
					if err := ask(t.Context(), a, bad); !fault.Is(err, "agent_refused") && !fault.Is(err, "agent_suspended") {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	// Four callers may have called again before the fifth failure, while all others were in progress.
	if n := failed.Load(); n < 5 || n > 8+4 {
		t.Errorf("the failing one was asked %d times", n)
	}
}

// At most eight requests wait for a handler. Further calls are refused, which does not count as a failure of the handler.
func TestAgents_busy(t *testing.T) {
	t.Parallel()
	arrived, released := make(chan struct{}), make(chan struct{})
	a, slow := asking(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-released
		_, _ = io.WriteString(w, `{"approve": true}`)
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := calls["checkout"](t.Context(), a, slow); err != nil {
				t.Error(err)
			}
		})
		<-arrived
	}
	for range 20 {
		mustFail(t, calls["checkout"](t.Context(), a, slow), "agent_busy")
	}
	close(released)
	wg.Wait()
	go func() { <-arrived }()
	if err := calls["checkout"](t.Context(), a, slow); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
