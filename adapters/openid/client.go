package openid

import (
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// longestAnswer is how many bytes of a response are read.
const longestAnswer = 1 << 20

// clientFor returns an HTTP client that follows no redirects, uses no proxy and reads bounded responses. Requests to the
// issuer's own host may reach a private network, because the operator configured it. All others use elsewhere, which does not.
func clientFor(host string, elsewhere *http.Client) *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	own := &http.Transport{
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxIdleConnsPerHost:    4,
		MaxConnsPerHost:        places,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 16 << 10,
	}
	return &http.Client{
		Timeout: timeout,
		Transport: byHost{
			host:      host,
			own:       own,
			elsewhere: elsewhere.Transport,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// byHost chooses the transport by the host of a request.
type byHost struct {
	host           string
	own, elsewhere http.RoundTripper
}

func (b byHost) RoundTrip(r *http.Request) (*http.Response, error) {
	transport := b.elsewhere
	if strings.EqualFold(r.URL.Host, b.host) {
		transport = b.own
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = bounded{io.LimitReader(answer.Body, longestAnswer), answer.Body}
	return answer, nil
}

type bounded struct {
	io.Reader
	io.Closer
}
