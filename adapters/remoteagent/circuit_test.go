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

// wire is a way to a handler inside a bubble, where time passes at once. It answers with a status and counts who asks.
type wire struct {
	status int
	asked  int
	slow   time.Duration
}

func (l *wire) RoundTrip(r *http.Request) (*http.Response, error) {
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

func over(l *wire) *remoteagent.Agents {
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

func TestAHandlerThatKeepsFailingIsLeftAlone(t *testing.T) {
	for status, code := range map[int]string{0: "agent_unreachable", 500: "agent_refused"} {
		synctest.Test(t, func(t *testing.T) {
			l := &wire{status: status}
			a := over(l)
			ask := func(url string) error { return four["quote"](t.Context(), a, to(url)) }
			for range 5 {
				mustFail(t, ask(here), code)
			}
			mustFail(t, ask(here), "agent_suspended")
			if l.asked != 5 {
				t.Errorf("asked %d times", l.asked)
			}
			mustFail(t, ask(here+"/other"), code)
			// After the pause one tries: it fails, and the pause starts anew; later it works.
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
			// What failed before is forgotten: it takes five again.
			l.status = status
			for range 5 {
				mustFail(t, ask(here), code)
			}
			mustFail(t, ask(here), "agent_suspended")
		})
	}
}

func TestOneTriesWhileOthersAreSuspended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &wire{status: 500}
		a := over(l)
		for range 5 {
			_ = four["quote"](t.Context(), a, to(here))
		}
		time.Sleep(31 * time.Second)
		l.slow, l.status = time.Second, 200
		tried := make(chan error)
		go func() { tried <- four["quote"](t.Context(), a, to(here)) }()
		synctest.Wait()
		mustFail(t, four["quote"](t.Context(), a, to(here)), "agent_suspended")
		if err := <-tried; err != nil || l.asked != 6 {
			t.Errorf("%v, asked %d times", err, l.asked)
		}
		if err := four["quote"](t.Context(), a, to(here)); err != nil {
			t.Error(err)
		}
	})
}

// Ten of the last twenty are too many, four in a row never.
func TestHalfOfTheLastTwentyAreTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for pattern, most := range map[string]int{"fs": 19, "ffs": 14, "ffffs": 12, "fss": 100, "fsss": 100, "s": 100} {
			l := &wire{}
			a := over(l)
			for n := range 100 {
				l.status = map[byte]int{'f': 500, 's': 200}[pattern[n%len(pattern)]]
				_ = four["quote"](t.Context(), a, to(here))
			}
			if l.asked != most {
				t.Errorf("%s: asked %d times, want %d", pattern, l.asked, most)
			}
		}
	})
}

func TestNonsenseAndSilenceSuspendToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &wire{status: 200} // its answer is none to a checkout
		a := over(l)
		for range 5 {
			mustFail(t, four["checkout"](t.Context(), a, to(here)), "agent_nonsense")
		}
		mustFail(t, four["checkout"](t.Context(), a, to(here)), "agent_suspended")

		l = &wire{status: 200, slow: time.Minute}
		a = over(l)
		began := time.Now()
		for range 5 {
			mustFail(t, four["quote"](t.Context(), a, to(here)), "agent_timeout")
		}
		mustFail(t, four["quote"](t.Context(), a, to(here)), "agent_suspended")
		if took := time.Since(began); took != 5*remoteagent.Timeout {
			t.Errorf("five took %s", took)
		}
	})
}

// A buyer that hangs up says nothing of the handler; one who tries while it is tried out does not end the trial.
func TestWhoHangsUpCountsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &wire{status: 500}
		a := over(l)
		hangUp := func() error {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			l.slow = time.Second
			defer func() { l.slow = 0 }()
			return four["quote"](ctx, a, to(here))
		}
		for range 8 {
			mustFail(t, hangUp(), "agent_timeout")
		}
		for range 5 {
			mustFail(t, four["quote"](t.Context(), a, to(here)), "agent_refused")
		}
		time.Sleep(31 * time.Second)
		mustFail(t, hangUp(), "agent_timeout")
		l.status = 200
		if err := four["quote"](t.Context(), a, to(here)); err != nil {
			t.Error(err)
		}
	})
}

// Many ask at once, of handlers that work and of one that fails, and each gets an answer of its own.
func TestManyAskAtOnce(t *testing.T) {
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
		for _, ask := range four {
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
	// Four that failed may have come again before the fifth did, while all others were under way.
	if n := failed.Load(); n < 5 || n > 8+4 {
		t.Errorf("the failing one was asked %d times", n)
	}
}

// Eight questions wait for a handler. Those beyond are not asked, which is no failure of the handler.
func TestAHandlerIsAskedByEightAtOnce(t *testing.T) {
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
			if err := four["checkout"](t.Context(), a, slow); err != nil {
				t.Error(err)
			}
		})
		<-arrived
	}
	for range 20 {
		mustFail(t, four["checkout"](t.Context(), a, slow), "agent_busy")
	}
	close(released)
	wg.Wait()
	go func() { <-arrived }()
	if err := four["checkout"](t.Context(), a, slow); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
