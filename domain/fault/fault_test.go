package fault_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

func TestKindOf_wrapped(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("loading: %w", fault.Missing("product"))
	if fault.KindOf(wrapped) != fault.NotFound || !fault.Is(wrapped, "product_not_found") || fault.Is(wrapped, "quote_not_found") {
		t.Errorf("%v is of kind %d", wrapped, fault.KindOf(wrapped))
	}
	for _, unclassified := range []error{nil, io.EOF, &fault.Error{}} {
		if fault.KindOf(unclassified) != fault.Internal || fault.Is(unclassified, "product_not_found") {
			t.Errorf("%v is of kind %d", unclassified, fault.KindOf(unclassified))
		}
	}
}

func TestError_Because(t *testing.T) {
	t.Parallel()
	e := fault.New(fault.Unavailable, "busy", "Try again.").Because(io.ErrUnexpectedEOF).After(time.Second).With("a.b", "is bad")
	if !errors.Is(e, io.ErrUnexpectedEOF) || e.Message != "Try again." || e.RetryAfter != time.Second {
		t.Errorf("%+v", e)
	}
	if want := "busy: Try again. [a.b is bad]: unexpected EOF"; e.Error() != want {
		t.Errorf("%q, want %q", e, want)
	}
}

func TestCheck_firstProblemPerField(t *testing.T) {
	t.Parallel()
	c := fault.NewCheck()
	if err := c.Err(); err != nil {
		t.Fatalf("an empty check: %v", err)
	}
	if !c.That(true, "name", "is required") || c.That(false, "slug", "is required") {
		t.Error("That does not return what it was told")
	}
	c.That(false, "slug", "is too short")
	c.In("items").At(2).That(false, "quantity", "is too large")
	c.In("items").At(3).That(false, "quantity", "is too large")
	var e *fault.Error
	if !errors.As(c.Err(), &e) || e.Kind != fault.Invalid || e.Code != "validation_error" {
		t.Fatalf("%v", c.Err())
	}
	want := []fault.Detail{{Field: "slug", Message: "is required"}, {Field: "items.2.quantity", Message: "is too large"},
		{Field: "items.3.quantity", Message: "is too large"}}
	if !reflect.DeepEqual(e.Details, want) {
		t.Errorf("%v, want %v", e.Details, want)
	}
}

func TestField_likeCheck(t *testing.T) {
	t.Parallel()
	c := fault.NewCheck()
	c.That(false, "plan", "is unknown")
	if !reflect.DeepEqual(c.Err(), error(fault.Field("plan", "is unknown"))) {
		t.Errorf("%v and %v", c.Err(), fault.Field("plan", "is unknown"))
	}
}

func TestError_Description(t *testing.T) {
	t.Parallel()
	if got := fault.Missing("product").Description(); got != "No such product." {
		t.Errorf("without a field: %q", got)
	}
	if got := fault.Field("sku", "is required").With("price", "must be more than zero").Description(); got != "sku is required; price must be more than zero" {
		t.Errorf("with fields: %q", got)
	}
}
