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

// SaidProfile reads the URL of the profile that a request says its agent has. It may be no URL at all, and proves nothing.
// It is "" where the header is not there, is too long, or names no profile.
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

// agentKey is the secret of the agent key that a request is sent with; "": with none. All other credentials are ignored: no
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
			return agentkey.Begins // which is no key: it is not clear which of them counts
		}
		return secret
	}
	return ""
}

// checkKey refuses a request with an agent key that is none of the shop's that works, where nothing else asks for the key.
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

// ClaimedAgent is who a request says it is from. It proves nothing. It reports false where the request names no profile, or
// none that could be one.
func ClaimedAgent(header http.Header) (agentid.Agent, bool) {
	return agentid.Claim(SaidProfile(header))
}

// noteAgent notes who a request says it is from. What is not readable is as good as nothing: nobody need say it.
func noteAgent(e *wire.Entry[Buyer]) {
	agent, said := ClaimedAgent(e.Request.Header)
	if !said {
		return
	}
	e.Caller.Agent = agent
	wire.LoggerOf(e.Request.Context()).DebugContext(e.Request.Context(), "the request is an agent's", "profile", agent.InLog())
}
