package agents

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Work that takes too long is refused as that of a busy server; work of a client that is gone is not.
func TestInTime(t *testing.T) {
	t.Parallel()
	wait := func(ctx ports.Outbound) error {
		<-ctx.Done()
		return ctx.Err()
	}
	err := inTime(ports.NewOutbound(t.Context()), time.Millisecond, wait)
	if fault.KindOf(err) != fault.Unavailable || !fault.Is(err, "overloaded") {
		t.Errorf("work that takes too long: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inTime(ports.NewOutbound(gone), time.Hour, wait); !errors.Is(err, context.Canceled) || fault.Is(err, "overloaded") {
		t.Errorf("the client is gone: %v", err)
	}
	own := errors.New("own")
	if err := inTime(ports.NewOutbound(t.Context()), time.Hour, func(ports.Outbound) error { return own }); err != own {
		t.Errorf("work that fails: %v", err)
	}
}
