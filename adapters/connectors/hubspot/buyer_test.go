package hubspot_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/ports"
)

func TestNameBuyer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script   answers
		nobody   bool
		requests string
		want     string
	}{
		"of a contact that there is": {script: answers{contactOf: {{200, found}}, associate: {{200, `{}`}}}, requests: contactOf + "," + associate},
		"of a contact that is created": {script: answers{
			contactOf: {{207, unfound}},
			contact:   {{201, `{"id": "77"}`}},
			associate: {{200, `{}`}},
		}, requests: contactOf + "," + contact + "," + associate},
		"of one, where the batch is empty": {script: answers{
			contactOf: {{200, `{"results": []}`}},
			contact:   {{201, `{"id": "77"}`}},
			associate: {{200, `{}`}},
		}},
		"of one, where the look-up is a 404": {script: answers{
			contactOf: {{404, gone}},
			contact:   {{201, `{"id": "77"}`}},
			associate: {{200, `{}`}},
		}},
		"of one with it as its second address": {script: answers{
			contactOf: {{207, unfound}},
			contact:   {{409, `{"category": "CONFLICT", "message": "Contact already exists. Existing ID: 77"}`}},
			associate: {{200, `{}`}},
		}},
		"of one that HubSpot does not name": {script: answers{contactOf: {{207, unfound}}, contact: {{409, `{"category": "CONFLICT"}`}}}},
		"of one that is named by no id":     {script: answers{contactOf: {{207, unfound}}, contact: {{409, `{"message": "Contact already exists. Existing ID: 7/../8"}`}}}},
		"where we may create none":          {script: answers{contactOf: {{207, unfound}}, contact: {{403, missing}}}},
		"where we may read none":            {script: answers{contactOf: {{403, missing}}}},
		"where the address is none":         {script: answers{contactOf: {{207, unfound}}, contact: {{400, `{"message": "Property values were not valid"}`}}}},
		"where the deal is gone":            {script: answers{contactOf: {{200, found}}, associate: {{404, gone}}}},
		"without an address":                {script: answers{}, nobody: true},
		"of a contact with no id":           {script: answers{contactOf: {{200, `{"results": [{"id": "a"}]}`}}}, want: "again: HubSpot does not say which contact it is."},
		"of a created contact with no id":   {script: answers{contactOf: {{207, unfound}}, contact: {{201, `{}`}}}, want: "again: HubSpot does not say which contact it is."},
		"of nobody knows whom":              {script: answers{contactOf: {{200, `{}`}}}, want: "again: HubSpot does not say which contact it is."},
		"of a batch that failed":            {script: answers{contactOf: {{207, `{"results": [], "errors": [{"category": "INTERNAL_ERROR"}]}`}}}, want: "again: HubSpot did not do what was asked."},
		"through a proxy that refuses":      {script: answers{contactOf: {{200, found}}, associate: {{403, page}}}, want: "again: HubSpot did not answer itself (403)."},
		"in spite of a failure":             {script: answers{contactOf: {{502, page}}}, want: "again: HubSpot has a problem of its own (502)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, at, a := connectTo(t, c.script)
			o := draft(nil).Order
			if c.nobody {
				o.Email = ""
			}
			want := c.want
			if want == "" {
				want = "done"
			}
			if got := outcome(s.NameBuyer(ports.NewOutbound(t.Context()), at, "501", o)); got != want {
				t.Error(got)
			}
			if list := strings.Join(a.list, ","); c.requests != "" && list != c.requests || strings.Contains(list, "@") {
				t.Errorf("asked for %s", list)
			}
		})
	}
}

// The e-mail address is sent in bodies only, because proxies log paths.
func TestNameBuyer_values(t *testing.T) {
	t.Parallel()
	s, at, a := connectTo(t, answers{
		contactOf: {{207, unfound}},
		contact:   {{201, `{"id": "77"}`}},
		associate: {{200, `{}`}},
	})
	if err := s.NameBuyer(ports.NewOutbound(t.Context()), at, "501", draft(nil).Order); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]string{
		contactOf: `{"idProperty":"email","inputs":[{"id":"ada@example.com"}],"properties":["email"]}`,
		contact:   `{"properties":{"email":"ada@example.com","firstname":"Ada Love","lastname":"Lace"}}`,
	} {
		if a.sent[what] != want {
			t.Errorf("%s: %s", what, a.sent[what])
		}
	}
}

// The circuit breaker stops this request, too.
func TestNameBuyer_breaker(t *testing.T) {
	t.Parallel()
	s, at, a := connectTo(t, answers{contactOf: {{500, page}}})
	w := connectors.DealWriterOf(connectors.Break(s))
	var last error
	for range 8 {
		last = w.NameBuyer(ports.NewOutbound(t.Context()), at, "501", draft(nil).Order)
	}
	var throttled ports.Throttled
	if !errors.As(last, &throttled) || len(a.list) != 5 {
		t.Errorf("%v after %d requests", last, len(a.list))
	}
}
