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

func withTemplates(drafts ...agent.TemplateDraft) (*agent.Agent, error) {
	a := &agent.Agent{Name: "Ann"}
	change := agent.Change{}
	change.Model.Templates = patch.To(drafts)
	return a, a.Change(change, agent.Rules{}, time.Now())
}

func TestTemplates_refused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 240)
	for _, test := range []struct {
		draft agent.TemplateDraft
		field string // ""; it is taken
	}{
		{agent.TemplateDraft{ID: "a_b-1", On: "accept", Message: "{quantity} × {product} at {price}, not {list_price}, until {valid_until}!"}, ""},
		{agent.TemplateDraft{ID: "a", On: "reject", Reasoning: "{hint}"}, ""},
		{agent.TemplateDraft{ID: "a", On: "unmoved", Message: long}, ""},
		{agent.TemplateDraft{ID: "a", On: "unmoved", Message: long + "e"}, "model.templates.0.message"},
		{agent.TemplateDraft{ID: "a", On: "counter_offer", Reasoning: "{hint}"}, "model.templates.0.reasoning"},
		{agent.TemplateDraft{ID: "a", On: "accept", Message: "{price"}, "model.templates.0.message"},
		{agent.TemplateDraft{ID: "a", On: "accept", Message: "{{price}}"}, "model.templates.0.message"},
		{agent.TemplateDraft{ID: "a", On: "accept", Message: "At 95."}, "model.templates.0.message"},
		{agent.TemplateDraft{ID: "a", On: "accept", Message: "At ٩٥."}, "model.templates.0.message"},
		{agent.TemplateDraft{ID: "a", On: "accept", Message: "Yes.\nNow."}, "model.templates.0.message"},
		{agent.TemplateDraft{ID: "a", On: "accept", Message: "\u202eYes."}, "model.templates.0.message"},
		{agent.TemplateDraft{ID: "a", On: "accept", Message: "<b>Yes.</b>"}, "model.templates.0.message"},
		{agent.TemplateDraft{ID: "a", On: "accept", Message: " "}, "model.templates.0.message"},
		{agent.TemplateDraft{ID: "", On: "accept", Message: "Yes."}, "model.templates.0.id"},
		{agent.TemplateDraft{ID: "a", On: "quote", Message: "Yes."}, "model.templates.0.answer"},
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
	many := make([]agent.TemplateDraft, 41)
	for i := range many {
		many[i] = agent.TemplateDraft{ID: strings.Repeat("a", i+1), On: "accept", Message: "Yes."}
	}
	if _, err := withTemplates(many[:40]...); err != nil {
		t.Error(err)
	}
	if _, err := withTemplates(many...); !fault.Is(err, "validation_error") {
		t.Error(err)
	}
}

// The house's templates keep to the rules of the merchant's, and every occasion has a choice.
func TestTemplates_house(t *testing.T) {
	t.Parallel()
	var drafts []agent.TemplateDraft
	for _, h := range agent.HouseTemplates {
		drafts = append(drafts, agent.TemplateDraft{ID: h.ID, On: h.On.String(), Reasoning: h.Reasoning, Message: h.Message})
	}
	a, err := withTemplates(drafts...)
	if err != nil || !reflect.DeepEqual(a.Model.Templates, agent.HouseTemplates) {
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
		{negotiation.Accepted{Price: price}, "accept"},
		{negotiation.Countered{Price: price, By: negotiation.Concession}, "counter_offer"},
		{negotiation.Countered{Price: price, By: negotiation.NoMovement}, "unmoved"},
		{negotiation.Countered{Price: price, By: negotiation.ProbingLimit}, "unmoved"},
		{negotiation.Countered{Price: price, By: negotiation.NoMovement, Final: true}, "final_offer"},
		{negotiation.Rejected{Price: price, By: negotiation.BelowFloor}, "reject"},
		{negotiation.Rejected{Price: price, By: negotiation.ListOnly}, ""},
		{negotiation.Quoted{Price: price}, ""},
	} {
		on, ok := agent.OccasionOf(test.decision)
		if ok != (test.want != "") || ok && on.String() != test.want {
			t.Errorf("%+v: %s, %v", test.decision, on, ok)
		}
	}
}
