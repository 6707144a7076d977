package boot

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/pprof"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// requestLog returns which requests are logged.
func (c Config) requestLog() (wire.RequestLog, error) {
	which := wire.RequestLog(cmp.Or(c.RequestLog, string(wire.AllRequests)))
	if !slices.Contains([]wire.RequestLog{wire.AllRequests, wire.FailedRequests, wire.NoRequests}, which) {
		return which, fmt.Errorf("HAGGLE_REQUEST_LOG is %q: it must be all, errors or off", c.RequestLog)
	}
	return which, nil
}

// requestWatch returns the logging, metrics and tracing of requests.
func (a *App) requestWatch() wire.Watch {
	which, _ := a.config.requestLog() // Check has validated it
	w := wire.Watch{
		Log:      a.log,
		Requests: which,
		Observe:  a.metrics.ObserveRequest,
	}
	if a.tracing != nil {
		w.Trace = a.tracing.StartRequest
	}
	return w
}

// serveProfiles serves profiles of the process to go tool pprof, but not its command line, which may hold secrets. A CPU
// profile must take less than the server's write timeout of 30 s.
func serveProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
}
