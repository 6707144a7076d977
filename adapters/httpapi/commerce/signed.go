package commerce

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/ports"
)

// Asking is what a request to the shop that it names says of who sends it, for Services.Identity. The protocol adds what its
// operation wants, and, where it does not use the header UCP-Agent, the profile. The body is read for it, and put back; of
// one that is larger than the operation takes, which is refused later, nothing is verified: ok is false then.
func (s *Services) Asking(e *wire.Entry[Buyer]) (asking identity.Request, ok bool, err error) {
	body, ok, err := e.Body()
	if err != nil || !ok {
		return identity.Request{}, false, err
	}
	return identity.Request{
		Profile: SaidProfile(e.Request.Header),
		Signed:  s.SignedRequest(e.Request, e.Request.PathValue("slug"), body),
	}, true, nil
}

// SignedRequest is what a signature covers of a request to a shop. The authority is the host under which the sender knows
// the shop: its own, or else that of the public URL, whatever a proxy in between has made of it. A request that was signed
// for another host than these has another authority, and no valid signature.
func (s *Services) SignedRequest(r *http.Request, slug string, body []byte) ports.SignedRequest {
	path, query := target(r)
	signed := ports.SignedRequest{
		Method: r.Method,
		Path:   path,
		Query:  query,
		Header: r.Header,
		Body:   body,
	}
	if own := parsed(s.Address(slug)); own.Hostname() != parsed(s.PublicURL).Hostname() && strings.EqualFold(hostname(r.Host), own.Hostname()) {
		signed.Authority = authority(own.Scheme, r.Host)
		return signed
	}
	public := parsed(s.PublicURL)
	signed.Authority = authority(public.Scheme, public.Host)
	// A proxy may have taken away the public URL's path.
	if prefix := strings.TrimSuffix(public.EscapedPath(), "/"); prefix != "" && !strings.HasPrefix(path, prefix+"/") {
		signed.Path = prefix + path
	}
	return signed
}

// target is the path and query of a request as they were sent: what it was routed by may differ.
func target(r *http.Request) (path, query string) {
	sent := r.RequestURI
	if strings.HasPrefix(sent, "/") {
		path, query, _ = strings.Cut(sent, "?")
		return path, query
	}
	u, err := url.Parse(sent) // in absolute form
	if err != nil || sent == "" {
		u = r.URL
	}
	return u.EscapedPath(), u.RawQuery
}

// parsed is a URL of ours, which was checked when the server started.
func parsed(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		return &url.URL{}
	}
	return u
}

func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// authority is a host without its scheme's port, in lower case (RFC 9421, section 2.2.3).
func authority(scheme, host string) string {
	host = strings.ToLower(host)
	switch scheme {
	case "https":
		return strings.TrimSuffix(host, ":443")
	case "http":
		return strings.TrimSuffix(host, ":80")
	}
	return host
}
