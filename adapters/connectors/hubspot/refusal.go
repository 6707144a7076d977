package hubspot

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/ports"
)

// apiError is an error that HubSpot answers with. "The fields should all be treated as optional" (docs/api-reference/error-handling, read on
// 29 November 2026).
type apiError struct {
	Message  string `json:"message"`
	Category string `json:"category"`
}

// errorOf decodes the error in an answer. It is zero if the body is not HubSpot's JSON.
func errorOf(a connectors.Answer) (why apiError) {
	if json.Unmarshal(a.Body, &why) != nil {
		return apiError{}
	}
	return why
}

// refusalText returns the message for the merchant. If the message lists invalid properties as JSON, it returns their messages
// (developers.hubspot.com/changelog/deal-currenct-code-validation, read on 29 November 2026).
func (s apiError) refusalText() string {
	message := s.Message
	if _, list, cut := strings.Cut(message, "Property values were not valid: "); cut {
		var invalid []apiError
		if json.Unmarshal([]byte(list), &invalid) == nil && len(invalid) > 0 {
			texts := make([]string, len(invalid))
			for i, one := range invalid {
				texts[i] = one.Message
			}
			message = strings.Join(texts, "; ")
		}
	}
	if message == "" {
		return "does not take the deal"
	}
	return "does not take the deal: " + connectors.Plain(message)
}

// missingScopes is the category of a request that the account's consent does not cover.
const missingScopes = "MISSING_SCOPES"

func notPermitted() error {
	return &ports.DealsNotPermitted{
		Reason: "HubSpot does not let us write deals any more. Connect the account again, as a user who may give the permission.",
	}
}

// batchError is the error of a batch of one that has errors and no result. "VALIDATION_ERROR for any errors resulting from invalid data
// being included in the request" (developers.hubspot.com/changelog/upcoming-changes-to-error-responses, read on 29 November 2026):
// the merchant can correct only those.
func batchError(p *connectors.Platform, errs []apiError) error {
	if slices.ContainsFunc(errs, func(e apiError) bool { return e.Category == missingScopes }) {
		return notPermitted()
	}
	if i := slices.IndexFunc(errs, func(e apiError) bool { return e.Category == "VALIDATION_ERROR" }); i >= 0 {
		return p.Refused(errs[i].refusalText())
	}
	return p.Failed("did not do what was asked", nil)
}

// judgeWriting maps the answers to requests that write. An answer that is not HubSpot's own JSON comes from a proxy between us and
// HubSpot, and says nothing about the deal or the account.
func judgeWriting(p *connectors.Platform, usual func(connectors.Answer) error) func(connectors.Answer) error {
	return func(a connectors.Answer) error {
		why := errorOf(a)
		switch {
		case a.Status == http.StatusForbidden && why.Category == missingScopes:
			return notPermitted()
		case a.Status == http.StatusConflict:
			return p.Failed("is changing the same record", nil)
		case a.Status == http.StatusForbidden && why.Category != "": // the token is valid, and syncs continue
			return p.Refused(why.refusalText())
		case a.Status == http.StatusBadRequest && why != apiError{}:
			return p.Refused(why.refusalText())
		}
		err := usual(a)
		if err == nil && maybeFromProxy(a.Status) && why.Category == "" {
			return p.Failed(fmt.Sprintf("did not answer itself (%d)", a.Status), nil)
		}
		return err
	}
}

// maybeFromProxy reports whether a status refuses the request only if HubSpot itself sent it. Other statuses, such as 401 and 429, mean
// the same if a proxy sent them.
func maybeFromProxy(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}
