package agent_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/patch"
)

func withTemplates(drafts ...agent.Template) (*agent.Agent, error) {
	a := &agent.Agent{Name: "Ann"}
	change := agent.Change{}
	change.Model.Templates = patch.To(drafts)
	return a, a.Change(change, agent.Rules{}, time.Now())
}

func TestTemplate_refused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 240)
	for _, test := range []struct {
		draft agent.Template
		field string // ""; it is taken
	}{
		{agent.Template{
			ID:      "a_b-1",
			On:      agent.OnAccept,
			Message: "{quantity} × {product} at {price}, not {list_price}, until {valid_until}!",
		}, ""},
		{agent.Template{
			ID:        "a",
			On:        agent.OnReject,
			Reasoning: "{hint}",
		}, ""},
		{agent.Template{
			ID:      "a",
			On:      agent.OnUnmoved,
			Message: long,
		}, ""},
		{agent.Template{
			ID:      "a",
			On:      agent.OnUnmoved,
			Message: long + "e",
		}, "model.templates.0.message"},
		{agent.Template{
			ID:        "a",
			On:        agent.OnCounter,
			Reasoning: "{hint}",
		}, "model.templates.0.reasoning"},
		{agent.Template{
			ID:      "a",
			On:      agent.OnAccept,
			Message: "{price",
		}, "model.templates.0.message"},
		{agent.Template{
			ID:      "a",
			On:      agent.OnAccept,
			Message: "{{price}}",
		}, "model.templates.0.message"},
		{agent.Template{
			ID:      "a",
			On:      agent.OnAccept,
			Message: "At 95.",
		}, "model.templates.0.message"},
		{agent.Template{
			ID:      "a",
			On:      agent.OnAccept,
			Message: "At ٩٥.",
		}, "model.templates.0.message"},
		{agent.Template{
			ID:      "a",
			On:      agent.OnAccept,
			Message: "Yes.\nNow.",
		}, "model.templates.0.message"},
		{agent.Template{
			ID:      "a",
			On:      agent.OnAccept,
			Message: "\u202eYes.",
		}, "model.templates.0.message"},
		{agent.Template{
			ID:      "a",
			On:      agent.OnAccept,
			Message: "<b>Yes.</b>",
		}, "model.templates.0.message"},
		{agent.Template{
			ID:      "a",
			On:      agent.OnAccept,
			Message: " ",
		}, "model.templates.0.message"},
		{agent.Template{
			ID:      "",
			On:      agent.OnAccept,
			Message: "Yes.",
		}, "model.templates.0.id"},
	} {
		_, err := withTemplates(test.draft)
		field := ""
		if f, ok := err.(*fault.Error); ok && len(f.Details) == 1 {
			field = f.Details[0].Field
		}
		if field != test.field || (err == nil) != (test.field == "") {
			t.Errorf("%+v: %v", test.draft, err)
		}
	}
	many := make([]agent.Template, 41)
	for i := range many {
		many[i] = agent.Template{
			ID:      strings.Repeat("a", i+1),
			On:      agent.OnAccept,
			Message: "Yes.",
		}
	}
	if _, err := withTemplates(many[:40]...); err != nil {
		t.Error(err)
	}
	if _, err := withTemplates(many...); !fault.Is(err, "validation_error") {
		t.Error(err)
	}
}

// The built-in templates follow the rules for a merchant's templates, and each occasion has several.
func TestHouseTemplates_valid(t *testing.T) {
	t.Parallel()
	a, err := withTemplates(agent.BuiltinTemplates...)
	if err != nil || !reflect.DeepEqual(a.Model.Templates, agent.BuiltinTemplates) {
		t.Errorf("%+v, %v", a.Model.Templates, err)
	}
	for _, on := range agent.Occasions {
		if n := len(agent.Model{}.TemplatesFor(on)); n < 2 {
			t.Errorf("%s has %d templates", on, n)
		}
	}
}

func TestOccasionOf(t *testing.T) {
	t.Parallel()
	price := money.Of(9500, money.USD)
	for _, test := range []struct {
		decision negotiation.Decision
		want     string
	}{
		{negotiation.Accepted{Price: price}, "accepted"},
		{negotiation.Countered{Price: price, By: negotiation.Concession}, "countered"},
		{negotiation.Countered{Price: price, By: negotiation.NoMovement}, "unmoved"},
		{negotiation.Countered{Price: price, By: negotiation.ProbingLimit}, "unmoved"},
		{negotiation.Countered{
			Price: price,
			By:    negotiation.NoMovement,
			Final: true,
		}, "final"},
		{negotiation.Rejected{Price: price, By: negotiation.BelowFloor}, "rejected"},
		{negotiation.Rejected{Price: price, By: negotiation.ListOnly}, ""},
		{negotiation.Quoted{Price: price}, ""},
	} {
		on, ok := agent.OccasionOf(test.decision)
		if ok != (test.want != "") || ok && on.String() != test.want {
			t.Errorf("%+v: %s, %v", test.decision, on, ok)
		}
	}
}
