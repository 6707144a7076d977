package openapi

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Transport returns a RoundTripper that checks every response below base and passes it on unchanged. It does not check
// responses from other addresses.
func (v *Validator) Transport(base string, next http.RoundTripper) http.RoundTripper {
	base = strings.TrimSuffix(base, "/")
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		path, below := Below(base, request.URL)
		if !below {
			return response, nil
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(body))
		v.Check(base, Answer{
			Method: request.Method,
			Path:   path,
			Status: response.StatusCode,
			Header: response.Header,
			Body:   body,
		})
		return response, nil
	})
}

// Below returns the escaped path of address under base, and whether address is below base.
func Below(base string, address *url.URL) (string, bool) {
	rest, below := strings.CutPrefix(address.Scheme+"://"+address.Host+address.EscapedPath(), base)
	return rest, below && strings.HasPrefix(rest, "/")
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
