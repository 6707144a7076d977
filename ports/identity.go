package ports

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
)

// AgentProfiles reads the profiles that agents publish. Its faults are the protocol's: invalid_profile_url (Malformed)
// for a URL that leads into a private network, profile_unreachable (Unfulfilled), profile_malformed (Invalid), and
// Unavailable with a time to retry when too many profiles are being read.
type AgentProfiles interface {
	// Profile returns the profile at a URL, which may have been read a while ago. asker is the client on whose behalf
	// it is read, if it must be read: each client has a share of the reads in a second. "" is counted against the limit
	// of all clients only.
	Profile(ctx Outbound, url, asker string) (agentid.Profile, error)
	// Renew reads the profile anew, for a key that it did not have when it was read. It does so once a minute for all
	// profiles of an origin; otherwise, and if the profile cannot be read, it returns the former one.
	Renew(ctx Outbound, url, asker string) (agentid.Profile, error)
}

// SignedRequest has the parts of a request that a signature covers.
type SignedRequest struct {
	Method    string
	Authority string              // the public host, as the sender knows it, and port unless it is the scheme's
	Path      string              // as it was sent, with escapes
	Query     string              // as it was sent, without the question mark
	Header    map[string][]string // with canonical names
	Body      []byte              // as it was sent, before anything of it was read
}

// RequestSignatures verifies requests by the keys of their senders.
type RequestSignatures interface {
	// Signed reports whether a request claims to be signed, in any way: then it must be verified or refused. A
	// signature that cannot be read is refused (signature_invalid), and so is a body that does not match its digest
	// (digest_mismatch, Malformed).
	Signed(r SignedRequest) (bool, error)
	// Verify returns the key that signed a request. At least one signature must cover the parts that the protocol
	// requires, be recent, and be by a key that find knows. Faults: signature_invalid and key_not_found
	// (Unauthenticated), algorithm_unsupported (Malformed).
	Verify(r SignedRequest, now time.Time, find func(id string) (agentid.Key, bool)) (agentid.Key, error)
}
