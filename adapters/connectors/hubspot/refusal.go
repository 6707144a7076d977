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

// said is an error of HubSpot's. "The fields should all be treated as optional" (docs/api-reference/error-handling, read on
// 29 November 2026).
type said struct {
	Message  string `json:"message"`
	Category string `json:"category"`
}

// reason is what an answer says; nothing if it is not HubSpot's JSON.
func reason(a connectors.Answer) (why said) {
	if json.Unmarshal(a.Body, &why) != nil {
		return said{}
	}
	return why
}

// words are the message for the merchant. Where it lists what is wrong with properties, as JSON, it is those messages
// (developers.hubspot.com/changelog/deal-currenct-code-validation, read on 29 November 2026).
func (s said) words() string {
	message := s.Message
	if _, list, cut := strings.Cut(message, "Property values were not valid: "); cut {
		var invalid []said
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

// partial is the error of a batch of one in which errors are all there is. "VALIDATION_ERROR for any errors resulting from invalid data
// being included in the request" (developers.hubspot.com/changelog/upcoming-changes-to-error-responses, read on 29 November 2026):
// only those are for the merchant to mend.
func partial(p *connectors.Platform, errs []said) error {
	if slices.ContainsFunc(errs, func(e said) bool { return e.Category == missingScopes }) {
		return notPermitted()
	}
	if i := slices.IndexFunc(errs, func(e said) bool { return e.Category == "VALIDATION_ERROR" }); i >= 0 {
		return p.Refused(errs[i].words())
	}
	return p.Failed("did not do what was asked", nil)
}

// judgeWriting knows why something is not written. What is not HubSpot's own JSON was said by somebody between us and HubSpot, and
// says nothing of the deal or the account.
func judgeWriting(p *connectors.Platform, usual func(connectors.Answer) error) func(connectors.Answer) error {
	return func(a connectors.Answer) error {
		why := reason(a)
		switch {
		case a.Status == http.StatusForbidden && why.Category == missingScopes:
			return notPermitted()
		case a.Status == http.StatusConflict:
			return p.Failed("is changing the same record", nil)
		case a.Status == http.StatusForbidden && why.Category != "": // the token is good, and syncs go on
			return p.Refused(why.words())
		case a.Status == http.StatusBadRequest && why != said{}:
			return p.Refused(why.words())
		}
		err := usual(a)
		if err == nil && byAnother(a.Status) && why.Category == "" {
			return p.Failed(fmt.Sprintf("did not answer itself (%d)", a.Status), nil)
		}
		return err
	}
}

// byAnother reports whether a status would refuse what was asked if HubSpot itself had answered it. Others, as 401 and 429, mean
// the same from a proxy.
func byAnother(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}
