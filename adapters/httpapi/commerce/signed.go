package commerce

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/net/publicsuffix"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// carried is the context key of a carrier, the request that carries another one.
type carried struct{}

type carrier struct {
	request *http.Request
	body    []byte
}

// Carried returns the context of a request that was built from a message in the body of another request. The sender signed that
// other request.
func Carried(ctx context.Context, by *http.Request, body []byte) context.Context {
	return context.WithValue(ctx, carried{}, carrier{by, body})
}

// Asking returns what a request says about its sender. It reads the body, and puts it back.
func (s *Services) Asking(e *wire.Entry[Buyer]) (identity.Request, error) {
	asking := identity.Request{
		Profile: SaidProfile(e.Request.Header),
		Shop:    e.Caller.Shop.ID,
		Key:     agentKey(e.Request),
		Asker:   asker(s.ClientAddress(e.Request)),
	}
	if asking.Key != "" && asking.Profile == "" && len(e.Request.Header.Values(agentHeader)) > 0 {
		return identity.Request{}, agentid.ErrProfileURL() // it names, or may name, another profile than the key's
	}
	by, carries := e.Request.Context().Value(carried{}).(carrier)
	if !carries {
		read := e.Body
		if sent(e.Request).Get("Signature-Input") != "" {
			read = e.Sent // a signature also covers a body that the operation ignores
		}
		body, whole, err := read()
		switch {
		case err != nil:
			return identity.Request{}, err
		case !whole: // a partial body cannot be verified
			return identity.Request{}, fault.New(fault.TooLarge, "body_too_large", "The body is too large.")
		}
		by = carrier{e.Request, body}
	}
	asking.Signed = s.SignedRequest(by.request, e.Request.PathValue("slug"), by.body)
	return asking, nil
}

// asker returns the key under which fetches of profiles are limited: the client's address, or the site of an IPv6 address.
func asker(from netip.Addr) string { return cmp.Or(wire.SiteKey(from), wire.AddressKey(from)) }

// sent returns the headers of a request, or those of the request that carries it.
func sent(r *http.Request) http.Header {
	if by, ok := r.Context().Value(carried{}).(carrier); ok {
		return by.request.Header
	}
	return r.Header
}

// proves reports whether a request tries to prove who sends it, by a signature or an agent key.
func proves(r *http.Request) bool {
	return sent(r).Get("Signature-Input") != "" || sent(r).Get("Signature") != "" || agentKey(r) != ""
}

// Vouch refuses a request whose signature or key is invalid, for endpoints that require none: a signature that is present must be
// verified (UCP, "Identity Resolution Algorithm"). identify is the protocol's.
func Vouch(e *wire.Entry[Buyer], identify wire.Step[Buyer]) error {
	if !proves(e.Request) {
		return nil
	}
	err := identify(e)
	if fault.Is(err, capability.Incompatible) { // not a matter of identity
		return nil
	}
	return err
}

// VouchMessage is Vouch for a message to an endpoint that is not an operation, after it was admitted.
func (s *Services) VouchMessage(w http.ResponseWriter, r *http.Request, body []byte, identify wire.Step[Buyer]) error {
	e := &wire.Entry[Buyer]{
		Writer:    w,
		Request:   r.WithContext(Carried(r.Context(), r, body)),
		Operation: &huma.Operation{},
	}
	Costs(e.Operation, 1)
	return Vouch(e, func(e *wire.Entry[Buyer]) (err error) {
		if e.Caller.Shop, err = s.Storefronts.BySlug(r.Context(), r.PathValue("slug")); err != nil {
			return err
		}
		return identify(e)
	})
}

// Identify identifies the agent that sends a request, in a step of a protocol's mount, before the body is parsed and before a
// transaction begins. It also counts a request that is signed or sent with a key: for the agent if it is verified, from any
// address, or else for the address. wish adds what the operation needs, and the profile if the protocol does not use the header
// UCP-Agent. Afterwards the caller's Agent is the verified or claimed agent.
func (s *Services) Identify(e *wire.Entry[Buyer], wish func(*identity.Request) error) (identity.Caller, error) {
	caller, err := s.identify(e, wish)
	if s.Limiter != nil && proves(e.Request) {
		sender := wire.AddressKey(s.ClientAddress(e.Request))
		if err == nil && caller.Agent.Verified {
			sender = "agent " + id.Hash(originOf(caller.Agent.Profile))
		}
		if limited := s.countInShop(e, sender); limited != nil {
			return identity.Caller{}, limited
		}
	}
	if err != nil {
		return identity.Caller{}, err
	}
	e.Caller.Agent = caller.Agent.Over(e.Caller.Agent.Protocol)
	if caller.Agent.Verified {
		wire.NoteCaller(e.Request.Context(), caller.Agent.InLog())
		e.Caller.Payer = id.Hash(e.Caller.Shop.ID.String() + " agent " + payer(caller.Agent))
	}
	return caller, nil
}

// payer returns the agent for which declined payments are counted: a profile with an agent key of the shop, or else the domain of
// the profile, because the owner of a domain can sign for any number of its hosts and profiles.
func payer(a agentid.Agent) string {
	if a.Key == "" {
		return a.Profile
	}
	host := strings.ToLower(parsed(a.Profile).Hostname())
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host // an IP address, or a local name
}

func (s *Services) identify(e *wire.Entry[Buyer], wish func(*identity.Request) error) (identity.Caller, error) {
	asking, err := s.Asking(e)
	if err != nil {
		return identity.Caller{}, err
	}
	if err := wish(&asking); err != nil {
		return identity.Caller{}, err
	}
	return s.Identity.Identify(wire.Outbound(e.Request.Context()), asking)
}

// SignedRequest returns the request as its signature covers it. The authority is the host under which the sender knows the shop,
// which is the shop's own or that of the public URL, even if a proxy has changed the header. A request that was signed for any
// other host has no valid signature.
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
	// A proxy may have removed the public URL's path.
	if prefix := strings.TrimSuffix(public.EscapedPath(), "/"); prefix != "" && !strings.HasPrefix(path, prefix+"/") {
		signed.Path = prefix + path
	}
	return signed
}

// target returns the path and query of a request as they were sent, which may differ from those that it was routed by.
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

// originOf returns the origin of a profile. All profiles of an origin share a rate.
func originOf(profile string) string {
	u := parsed(profile)
	return u.Scheme + "://" + strings.ToLower(u.Host)
}

// parsed parses a URL that was validated before, at start or when the agent named it.
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

// authority returns a host in lower case, without the default port of its scheme (RFC 9421, section 2.2.3).
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
