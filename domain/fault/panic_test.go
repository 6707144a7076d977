package fault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
)

func TestSurvive(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	if err := fault.Survive(func() error { return plain }); !errors.Is(err, plain) || errors.Is(err, fault.ErrPanic) {
		t.Errorf("%v", err)
	}
	err := fault.Survive(func() error { panic("of all things") })
	if !errors.Is(err, fault.ErrPanic) || !strings.Contains(err.Error(), "of all things") || !strings.Contains(err.Error(), "panic_test.go") {
		t.Errorf("%v", err)
	}
	if err := fault.Survive(func() error { return nil }); err != nil {
		t.Error(err)
	}
}
