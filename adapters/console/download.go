package console

import (
	"net/http"
	"net/url"
	"strings"
)

// stream copies an answer of the API to w as it arrives, such as a table of any length. It returns a refusal as an error, as get
// does.
func (a *api) stream(w http.ResponseWriter, path string, query url.Values) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	r, err := a.request(http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	answer := &streamed{to: w, recorded: recorded{header: http.Header{}}}
	a.handler.ServeHTTP(answer, r)
	return answer.read(http.MethodGet, path, nil)
}

// streamed passes an answer of the API to the client unless it is an error.
type streamed struct {
	recorded
	to http.ResponseWriter
}

// handedOn lists the headers that are copied from the answer. The page sets the others.
var handedOn = []string{"Content-Type", "Content-Disposition"}

func (s *streamed) WriteHeader(status int) {
	if s.status != 0 {
		return
	}
	s.status = status
	if status >= http.StatusBadRequest {
		return
	}
	for _, name := range handedOn {
		if value := strings.Join(s.header[name], ", "); value != "" {
			s.to.Header().Set(name, value)
		}
	}
	s.to.WriteHeader(status)
}

func (s *streamed) Write(b []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	if s.status >= http.StatusBadRequest {
		return s.body.Write(b)
	}
	return s.to.Write(b)
}

// Unwrap lets the API set the time limits of the connection.
func (s *streamed) Unwrap() http.ResponseWriter { return s.to }

// download passes a CSV file of the API to the client.
func download(path string) func(*memberRequest) error {
	return func(v *memberRequest) error {
		q := v.r.URL.Query()
		return v.api.stream(v.w, path, given(url.Values{"from": {q.Get("from")}, "to": {q.Get("to")}}))
	}
}

var (
	paymentsTable  = download("/v1/finance/payments.csv")
	movementsTable = download("/v1/finance/transactions.csv")
)
