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

// carried is the key of the request that carries another one, a carrier.
type carried struct{}

type carrier struct {
	request *http.Request
	body    []byte
}

// Carried is the context of a request that is made of a message in the body of another one, which is what its sender signed.
func Carried(ctx context.Context, by *http.Request, body []byte) context.Context {
	return context.WithValue(ctx, carried{}, carrier{by, body})
}

// Asking is what a request to the shop that it names says of who sends it. The body is read for it, and put back.
func (s *Services) Asking(e *wire.Entry[Buyer]) (identity.Request, error) {
	asking := identity.Request{
		Profile: SaidProfile(e.Request.Header),
		Shop:    e.Caller.Shop.ID,
		Key:     agentKey(e.Request),
		Asker:   asker(s.ClientAddress(e.Request)),
	}
	if asking.Key != "" && asking.Profile == "" && len(e.Request.Header.Values(agentHeader)) > 0 {
		return identity.Request{}, agentid.ErrProfileURL() // it names another profile than the key's, or may
	}
	by, carries := e.Request.Context().Value(carried{}).(carrier)
	if !carries {
		read := e.Body
		if sent(e.Request).Get("Signature-Input") != "" {
			read = e.Sent // what the operation does not take is signed all the same
		}
		body, whole, err := read()
		switch {
		case err != nil:
			return identity.Request{}, err
		case !whole: // nothing of it could be verified
			return identity.Request{}, fault.New(fault.TooLarge, "body_too_large", "The body is too large.")
		}
		by = carrier{e.Request, body}
	}
	asking.Signed = s.SignedRequest(by.request, e.Request.PathValue("slug"), by.body)
	return asking, nil
}

// asker is for whom profiles are fetched: a client's address, or its IPv6 site, which has many.
func asker(from netip.Addr) string { return cmp.Or(wire.SiteKey(from), wire.AddressKey(from)) }

// sent are the headers of a request as it was sent, which are those of the request that carries it if one does.
func sent(r *http.Request) http.Header {
	if by, ok := r.Context().Value(carried{}).(carrier); ok {
		return by.request.Header
	}
	return r.Header
}

// proves reports whether a request is to prove who sends it: it says that it is signed, or is sent with an agent key.
func proves(r *http.Request) bool {
	return sent(r).Get("Signature-Input") != "" || sent(r).Get("Signature") != "" || agentKey(r) != ""
}

// Vouch refuses a request that is to prove who sends it and does not, where nobody need prove anything: a signature that is
// there is verified (UCP, "Identity Resolution Algorithm"). identify is the protocol's.
func Vouch(e *wire.Entry[Buyer], identify wire.Step[Buyer]) error {
	if !proves(e.Request) {
		return nil
	}
	err := identify(e)
	if fault.Is(err, capability.Incompatible) { // which is no matter of who it is
		return nil
	}
	return err
}

// VouchMessage is Vouch for a message that is no operation: a request to an endpoint, after it was admitted.
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

// Identify finds out who sends a request, in a step of a protocol's mount: before its body is parsed and before there is a
// transaction. A request that is signed or sent with a key is counted now: for the agent if it is who it says it is, whatever
// address it comes from, or else for that address. wish adds what the operation wants, and where the protocol does not use the
// header UCP-Agent, the profile. The request is the verified or claimed agent's from here on.
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

// payer is the agent for which declined payments are counted. The shop has made keys for few profiles. Anybody may sign for as
// many profiles and hosts of a domain as there are names, so that these are one payer.
func payer(a agentid.Agent) string {
	if a.Key == "" {
		return a.Profile
	}
	host := strings.ToLower(parsed(a.Profile).Hostname())
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host // an address, or a name on this machine
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

// originOf is of what all profiles of an agent's host have one rate.
func originOf(profile string) string {
	u := parsed(profile)
	return u.Scheme + "://" + strings.ToLower(u.Host)
}

// parsed is a URL that was checked before: one of ours when the server started, an agent's when it was named.
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
