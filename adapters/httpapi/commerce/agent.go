package commerce

import (
	"net/http"
	"strings"

	"github.com/dunglas/httpsfv"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/agentkey"
)

// agentHeader names the profile of the agent that sends a request, as a dictionary (RFC 8941):
//
//	UCP-Agent: profile="https://agent.example/profile.json"
const agentHeader = "UCP-Agent"

// SaidProfile returns the profile URL that a request claims for its agent. It may be malformed, and proves nothing. It is "" if
// the header is missing, is too long, or names no profile.
func SaidProfile(header http.Header) string {
	values, length := header.Values(agentHeader), 0
	for _, v := range values {
		length += len(v)
	}
	if length == 0 || length > agentid.MaxProfile {
		return ""
	}
	said, err := httpsfv.UnmarshalDictionary(values)
	if err != nil {
		return ""
	}
	member, _ := said.Get("profile")
	item, _ := member.(httpsfv.Item)
	profile, _ := item.Value.(string)
	return profile
}

// agentKey returns the secret of the agent key that a request is sent with, or "". It ignores other credentials, because no
// protocol of buyers has any.
//
//	Authorization: Bearer hak_live_…
func agentKey(r *http.Request) string {
	values := sent(r).Values("Authorization")
	for _, v := range values {
		scheme, rest, _ := strings.Cut(strings.ReplaceAll(v, "\t", " "), " ")
		secret := strings.TrimSpace(rest)
		if !strings.EqualFold(scheme, "Bearer") || !strings.HasPrefix(secret, agentkey.Begins) {
			continue
		}
		if len(values) > 1 {
			return agentkey.Begins // not a valid key, because it is not clear which of them counts
		}
		return secret
	}
	return ""
}

// checkKey refuses a request with an agent key that is not a valid one of the shop, in operations that do not identify agents.
func (s *Services) checkKey(e *wire.Entry[Buyer]) error {
	secret := agentKey(e.Request)
	if secret == "" || identifies(e) {
		return nil
	}
	key, err := s.Identity.CheckKey(e.Request.Context(), e.Caller.Shop.ID, secret)
	if err == nil {
		wire.NoteCaller(e.Request.Context(), key.String())
	}
	return err
}

// ClaimedAgent returns the agent that a request claims to be from, without proof. It returns false if the request names no
// profile or a malformed one.
func ClaimedAgent(header http.Header) (agentid.Agent, bool) {
	return agentid.Claim(SaidProfile(header))
}

// noteAgent notes which agent a request claims to be from. It ignores an unreadable claim, because the claim is optional.
func noteAgent(e *wire.Entry[Buyer]) {
	agent, said := ClaimedAgent(e.Request.Header)
	if !said {
		return
	}
	e.Caller.Agent = agent
	wire.LoggerOf(e.Request.Context()).DebugContext(e.Request.Context(), "the request is an agent's", "profile", agent.InLog())
}
