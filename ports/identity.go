package ports

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
)

// AgentProfiles finds what agents publish of themselves. Its faults are the protocol's: invalid_profile_url (Malformed) for a
// URL that leads into a private network, profile_unreachable (Unfulfilled), profile_malformed (Invalid), and Unavailable with
// a time to come back when too many profiles are being looked for.
type AgentProfiles interface {
	// Profile returns the profile at a URL, which may have been read a while ago. asker is the client on whose behalf it is
	// read, if it must be: each has a share of what is read in a second. "" counts for all alone.
	Profile(ctx Outbound, url, asker string) (agentid.Profile, error)
	// Renew reads the profile anew, for a key that it did not have when it was read. It does so once a minute for all
	// profiles of an origin; else, and where the profile cannot be had, it returns what it had.
	Renew(ctx Outbound, url, asker string) (agentid.Profile, error)
}

// SignedRequest is what of a request a signature covers.
type SignedRequest struct {
	Method    string
	Authority string              // the public host, as the sender knows it, and port unless it is the scheme's
	Path      string              // as it was sent, with escapes
	Query     string              // as it was sent, without the question mark
	Header    map[string][]string // with canonical names
	Body      []byte              // as it was sent, before anything of it was read
}

// RequestSignatures verifies requests by the keys of who sends them.
type RequestSignatures interface {
	// Signed reports whether a request says that it is signed, in whichever way: then it is verified, or refused. It refuses
	// what cannot be read (signature_invalid) and a body that does not have its digest (digest_mismatch, Malformed).
	Signed(r SignedRequest) (bool, error)
	// Verify returns the key that signed a request. At least one signature must cover what the protocol wants, be in time,
	// and be by a key that find knows. Faults: signature_invalid and key_not_found (Unauthenticated), algorithm_unsupported
	// (Malformed).
	Verify(r SignedRequest, now time.Time, find func(id string) (agentid.Key, bool)) (agentid.Key, error)
}
