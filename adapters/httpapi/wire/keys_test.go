package wire

import (
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// All requests share an API's error value, so translate must not store the cause of one request in it.
func TestKeyRules_translateLeavesSharedErrors(t *testing.T) {
	t.Parallel()
	rules := KeyRules[struct{}]{
		Reused:     fault.New(fault.Conflict, "key_conflict", "The key is another request's."),
		InProgress: fault.New(fault.Conflict, "busy", "Wait."),
	}
	for _, cause := range []error{fault.New(fault.Invalid, "idempotency_key_reused", "Used."), ports.ErrKeyTaken} {
		if err := rules.translate(cause); !errors.Is(err, cause) {
			t.Errorf("%v: the cause is lost: %v", cause, err)
		}
	}
	if rules.Reused.Unwrap() != nil || rules.InProgress.Unwrap() != nil {
		t.Errorf("the shared errors have causes now: %v, %v", rules.Reused, rules.InProgress)
	}
}
