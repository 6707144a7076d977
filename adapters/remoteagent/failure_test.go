package remoteagent_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/remoteagent"
)

func TestReceive_refusedStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 307, 400, 401, 404, 429, 500, 503} {
		var followed atomic.Bool
		a, to := asking(t, func(w http.ResponseWriter, r *http.Request) {
			followed.Store(r.URL.Path == "/elsewhere")
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"status": "accept", "results": [], "approve": true}`)
		})
		for event, ask := range calls {
			mustFail(t, ask(t.Context(), a, to), "agent_refused")
			if followed.Load() {
				t.Errorf("%s: %d is followed", event, status)
			}
		}
	}
}

func TestReceive_successStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 201, 202} {
		a, to := asking(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"status": "accept", "results": [], "approve": true}`)
		})
		for event, ask := range calls {
			if err := ask(t.Context(), a, to); err != nil {
				t.Errorf("%s: %v", event, err)
			}
		}
	}
}

// A handler that hangs before the headers, within them or within the body is abandoned after two seconds.
func TestAgents_timeout(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"silence": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"half an answer": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"status": "acc`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"drop by drop": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, to := asking(t, handler)
			a, began := remoteagent.New(http.DefaultClient, wallClock{}, &counting{}, ""), time.Now()
			mustFail(t, calls["quote"](t.Context(), a, to), "agent_timeout")
			if took := time.Since(began); took < remoteagent.Timeout-10*time.Millisecond || took > remoteagent.Timeout+20*time.Second {
				t.Errorf("left after %s", took)
			}
		})
	}
}

// The caller's deadline applies. If it passes, that does not count as a failure of the handler, so that other callers still
// reach it.
func TestAgents_callerTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &stubTransport{status: 200, slow: time.Second}
		a := agentsOver(l)
		short, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		began := time.Now()
		for range 20 {
			if mustFail(t, calls["quote"](short, a, to(here)), "agent_timeout"); time.Since(began) != 30*time.Millisecond {
				t.Errorf("left after %s", time.Since(began))
			}
		}
		if err := calls["quote"](t.Context(), a, to(here)); err != nil {
			t.Error(err)
		}
		// A refusal counts as a failure for all callers.
		l.status = 500
		for range 5 {
			mustFail(t, calls["quote"](t.Context(), a, to(here)), "agent_refused")
		}
		mustFail(t, calls["quote"](short, a, to(here)), "agent_suspended")
	})
}

func TestAgents_unreachable(t *testing.T) {
	t.Parallel()
	const nobody = "http://127.0.0.1:1/?token=hidden" // a port that no server of another test can get
	a, to := asking(t, func(w http.ResponseWriter, r *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = connection.Close()
		}
	})
	mustFail(t, calls["quote"](t.Context(), a, to), "agent_unreachable")
	for _, url := range []string{nobody, "http://no..host/", "://", "ftp://127.0.0.1/", "http://127.0.0.1:0/", ""} {
		to.URL = url
		err := calls["quote"](t.Context(), a, to)
		if mustFail(t, err, "agent_unreachable"); strings.Contains(err.Error(), "hidden") {
			t.Error(err)
		}
	}
}

// The error of a response that is not HTTP does not quote it.
func TestAgents_notHTTP(t *testing.T) {
	t.Parallel()
	a, to := asking(t, func(w http.ResponseWriter, _ *http.Request) {
		if connection, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_, _ = io.WriteString(connection, "Our floor is 81.37.\r\n\r\n")
			_ = connection.Close()
		}
	})
	err := calls["quote"](t.Context(), a, to)
	if mustFail(t, err, "agent_unreachable"); strings.Contains(err.Error(), "81.37") {
		t.Error(err)
	}
}

func TestReceive_truncated(t *testing.T) {
	t.Parallel()
	a, to := asking(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"status": "accept"}`)
	})
	mustFail(t, calls["quote"](t.Context(), a, to), "agent_unreachable")
}

func TestReceive_tooLong(t *testing.T) {
	t.Parallel()
	var length atomic.Int64
	a, to := asking(t, func(w http.ResponseWriter, _ *http.Request) {
		body := `{"status": "accept"}`
		_, _ = io.WriteString(w, body+strings.Repeat(" ", int(length.Load())-len(body)))
	})
	length.Store(64 << 10)
	if err := calls["quote"](t.Context(), a, to); err != nil {
		t.Error(err)
	}
	length.Store(64<<10 + 1)
	mustFail(t, calls["quote"](t.Context(), a, to), "agent_nonsense")
	endless, to := asking(t, func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	})
	mustFail(t, calls["quote"](t.Context(), endless, to), "agent_nonsense")
}

func TestSigner_badSecret(t *testing.T) {
	t.Parallel()
	a, to := asking(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	for _, bad := range []string{"", "whsec_", "whsec_!!!!!!!!!!!!!!!!!!!!", "whsec_AAAA"} {
		to.Secret = bad
		mustFail(t, calls["quote"](t.Context(), a, to), "agent_secret")
	}
}

func TestNew_clientUnchanged(t *testing.T) {
	t.Parallel()
	client := &http.Client{}
	_ = remoteagent.New(client, wallClock{}, &counting{}, "")
	if client.Timeout != 0 || client.CheckRedirect != nil {
		t.Errorf("%+v", client)
	}
}

// A connection is reused for the next request, whatever the response was.
func TestReceive_reusesConnection(t *testing.T) {
	t.Parallel()
	var connections, n atomic.Int64
	_, to := asking(t, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1)%4 == 1 {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(w, `{"approve": true}`+strings.Repeat(" ", 10_000))
	})
	counted := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		connections.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	t.Cleanup(counted.CloseIdleConnections)
	a := remoteagent.New(&http.Client{Transport: counted}, wallClock{}, &counting{}, "")
	for range 20 {
		_ = calls["finalize"](t.Context(), a, to)
	}
	if connections.Load() != 1 || n.Load() != 20 {
		t.Errorf("%d connections for %d requests", connections.Load(), n.Load())
	}
}
