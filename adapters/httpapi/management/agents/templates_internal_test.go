package agents

import (
	"errors"
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fault"
)

func TestFromAPITemplates(t *testing.T) {
	t.Parallel()
	check := fault.NewCheck()
	got := fromAPITemplates([]templateView{{"warm", "counter_offer", "Why.", "What."}, {"a", "quote", "", "Yes."}}, check.In("model.templates"))
	want := []agent.Template{{ID: "warm", On: agent.OnCounter, Reasoning: "Why.", Message: "What."}, {ID: "a", Message: "Yes."}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	details := []fault.Detail{{Field: "model.templates.1.answer", Message: "must be accept, counter_offer, final_offer, unmoved or reject"}}
	var refused *fault.Error
	if !errors.As(check.Err(), &refused) || !reflect.DeepEqual(refused.Details, details) {
		t.Errorf("%+v", refused)
	}
}
