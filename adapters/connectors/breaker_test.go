package connectors_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// shop answers err, and counts who asks.
type shop struct {
	err   error
	asked int
	slow  time.Duration
}

func (s *shop) ask() error {
	s.asked++
	time.Sleep(s.slow) // in a bubble
	return s.err
}

func (s *shop) Inspect(ports.Outbound, ports.Connection) (integration.Config, error) {
	return integration.Config{Account: "1"}, s.ask()
}

func (s *shop) Read(ports.Outbound, ports.Connection, ports.PageRequest) (ports.RecordPage, error) {
	return ports.RecordPage{Next: "2"}, s.ask()
}

type oauth struct{ *shop }

func (oauth) Consent(ports.Consent) (string, error) { return "consent", nil }
func (oauth) NeedsStore() bool                      { return false }
func (oauth) CheckCallback(ports.CodeGrant) error   { return nil }
func (oauth) Exchange(ports.Outbound, ports.CodeGrant) (integration.Credentials, error) {
	return integration.Credentials{Key: "new"}, nil
}
func (o oauth) Refresh(ports.Outbound, ports.Connection) (integration.Credentials, error) {
	return integration.Credentials{Key: "fresh"}, o.ask()
}

type called struct{ *shop }

func (c called) Register(ports.Outbound, ports.Connection, string, string) (string, string, error) {
	return "remote", "signing", c.ask()
}
func (c called) Unregister(ports.Outbound, ports.Connection, string) error { return c.ask() }
func (called) SignatureHeader() string                                     { return "" }
func (called) Verify(ports.Call, string) (ports.CallStamp, error) {
	return ports.CallStamp{Delivery: "d"}, nil
}
func (c called) News(ports.Outbound, ports.Connection, string, time.Time, []byte) ([]syncrun.Record, error) {
	return []syncrun.Record{{Remote: "1"}}, c.ask()
}

type ships struct{ *shop }

func (s ships) Rates(ports.Outbound, ports.Connection, ports.RateRequest) ([]ports.ShippingRate, error) {
	return nil, s.ask()
}
func (s ships) Buy(ports.Outbound, ports.Connection, ports.LabelRequest) (ports.ShippingLabel, error) {
	return ports.ShippingLabel{}, s.ask()
}
func (s ships) Bought(ports.Outbound, ports.Connection, *order.Order) (*ports.ShippingLabel, error) {
	return nil, s.ask()
}

func (s ships) Void(ports.Outbound, ports.Connection, ports.VoidRequest) error { return s.ask() }

func read(c ports.Connector, key string) error {
	_, err := c.Read(ports.NewOutbound(context.Background()), ports.Connection{Key: key}, ports.PageRequest{})
	return err
}

func throttled(err error) (time.Duration, bool) {
	var t ports.Throttled
	return t.After, errors.As(err, &t)
}

func TestAPlatformThatKeepsFailingIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &shop{err: &ports.PlatformFailure{Reason: "down"}}
		c := connectors.Break(inner)
		for n := range 5 {
			if err := read(c, "a"); !failure(err) {
				t.Fatalf("%d: %v", n, err)
			}
		}
		time.Sleep(10 * time.Second)
		if wait, ok := throttled(read(c, "a")); !ok || wait != 20*time.Second || inner.asked != 5 {
			t.Errorf("wait %s, %v, asked %d times", wait, ok, inner.asked)
		}
		if _, err := c.Inspect(ports.NewOutbound(context.Background()), ports.Connection{Key: "a"}); !errors.Is(err, ports.Throttled{After: 20 * time.Second}) {
			t.Error(err)
		}
		if err := read(c, "b"); !failure(err) {
			t.Errorf("another account: %v", err)
		}
		// After the pause one tries: it fails, and the pause starts anew; later it works.
		time.Sleep(20*time.Second + time.Millisecond)
		if err := read(c, "a"); !failure(err) {
			t.Errorf("nobody tried: %v", err)
		}
		if wait, ok := throttled(read(c, "a")); !ok || wait != 30*time.Second {
			t.Errorf("wait %s, %v", wait, ok)
		}
		time.Sleep(30*time.Second + time.Millisecond)
		inner.err = nil
		for range 2 {
			if err := read(c, "a"); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestOneTriesAndOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &shop{err: &ports.PlatformFailure{Reason: "down"}}
		c := connectors.Break(inner)
		for range 5 {
			_ = read(c, "a")
		}
		time.Sleep(31 * time.Second)
		inner.slow = 3 * time.Second
		tried := make(chan error)
		go func() { tried <- read(c, "a") }()
		time.Sleep(time.Second)
		if wait, ok := throttled(read(c, "a")); !ok || wait != 5*time.Second {
			t.Errorf("wait %s, %v", wait, ok)
		}
		if err := <-tried; !failure(err) {
			t.Error(err)
		}
	})
}

func TestOnlyFailuresInARowCount(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]error{
		"an answer": nil, "credentials": ports.ErrCredentialsRefused, "patience": ports.Throttled{After: 1}, "a refusal": &ports.PlatformRefusal{},
	} {
		inner := &shop{}
		c := connectors.Break(inner)
		for n := range 20 {
			if inner.err = error(&ports.PlatformFailure{}); n%5 == 4 {
				inner.err = between
			}
			_ = read(c, "a")
		}
		if inner.asked != 20 {
			t.Errorf("%s: asked %d times", name, inner.asked)
		}
	}
	inner := &shop{}
	c := connectors.Break(inner)
	for n := range 12 { // who gives up tells nothing
		if inner.err = error(&ports.PlatformFailure{}); n%2 == 1 {
			inner.err = context.Canceled
		}
		_ = read(c, "a")
	}
	if inner.asked != 9 {
		t.Errorf("asked %d times", inner.asked)
	}
}

func TestWhatAConnectorCanDoIsKept(t *testing.T) {
	t.Parallel()
	s := &shop{}
	for name, inner := range map[string]ports.Connector{
		"none": s, "oauth": oauth{s}, "called": called{s}, "ships": ships{s},
		"oauth+called": struct {
			oauth
			C called
		}{oauth{s}, called{s}},
		"both": struct {
			*shop
			ports.OAuthConnector
			ports.CalledConnector
		}{s, oauth{s}, called{s}},
		"oauth ships": struct {
			*shop
			ports.OAuthConnector
			ports.Shipper
		}{s, oauth{s}, ships{s}},
		"called ships": struct {
			*shop
			ports.CalledConnector
			ports.Shipper
		}{s, called{s}, ships{s}},
		"all": struct {
			*shop
			ports.OAuthConnector
			ports.CalledConnector
			ports.Shipper
		}{s, oauth{s}, called{s}, ships{s}},
	} {
		c := connectors.Break(inner)
		_, o1 := inner.(ports.OAuthConnector)
		_, o2 := c.(ports.OAuthConnector)
		_, c1 := inner.(ports.CalledConnector)
		_, c2 := c.(ports.CalledConnector)
		_, s1 := inner.(ports.Shipper)
		_, s2 := c.(ports.Shipper)
		if o1 != o2 || c1 != c2 || s1 != s2 {
			t.Errorf("%s: %v %v %v became %v %v %v", name, o1, c1, s1, o2, c2, s2)
		}
	}
}

func TestSignaturesAreCheckedWhateverThePlatformDoes(t *testing.T) {
	t.Parallel()
	s := &shop{err: &ports.PlatformFailure{}}
	c := connectors.Break(struct {
		*shop
		ports.OAuthConnector
		ports.CalledConnector
		ports.Shipper
	}{s, oauth{s}, called{s}, ships{s}})
	for range 5 {
		_ = read(c, "a")
	}
	ctx, a := t.Context(), ports.Connection{Key: "a"}
	if stamp, err := c.(ports.CalledConnector).Verify(ports.Call{}, ""); err != nil || stamp.Delivery != "d" {
		t.Errorf("%+v, %v", stamp, err)
	}
	if got, err := c.(ports.OAuthConnector).Exchange(ports.NewOutbound(ctx), ports.CodeGrant{}); err != nil || got.Key != "new" {
		t.Error(err)
	}
	if address, err := c.(ports.OAuthConnector).Consent(ports.Consent{}); err != nil || address != "consent" {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"refresh":    second(c.(ports.OAuthConnector).Refresh(ports.NewOutbound(ctx), a)),
		"unregister": c.(ports.CalledConnector).Unregister(ports.NewOutbound(ctx), a, "1"),
		"register":   third(c.(ports.CalledConnector).Register(ports.NewOutbound(ctx), a, "t", "u")),
		"news":       second(c.(ports.CalledConnector).News(ports.NewOutbound(ctx), a, "t", time.Time{}, nil)),
		"rates":      second(c.(ports.Shipper).Rates(ports.NewOutbound(ctx), a, ports.RateRequest{})),
		"buy":        second(c.(ports.Shipper).Buy(ports.NewOutbound(ctx), a, ports.LabelRequest{})),
		"bought":     second(c.(ports.Shipper).Bought(ports.NewOutbound(ctx), a, nil)),
	} {
		if _, ok := throttled(err); !ok || s.asked != 5 {
			t.Errorf("%s: %v, asked %d times", name, err, s.asked)
		}
	}
	s.err = nil
	b := ports.Connection{Key: "b"}
	if remote, signing, err := c.(ports.CalledConnector).Register(ports.NewOutbound(ctx), b, "t", "u"); remote != "remote" || signing != "signing" || err != nil {
		t.Error(remote, signing, err)
	}
	if fresh, err := c.(ports.OAuthConnector).Refresh(ports.NewOutbound(ctx), b); fresh.Key != "fresh" || err != nil {
		t.Error(err)
	}
}

// writes is a shop that orders can be written to.
type writes struct{ *shop }

func (writes) RepeatAfter() time.Duration { return time.Minute }

func (w writes) FindOrder(ports.Outbound, ports.Connection, ports.OrderDraft) (*ports.WrittenOrder, error) {
	return nil, w.ask()
}

func (w writes) WriteOrder(ports.Outbound, ports.Connection, ports.OrderDraft) (ports.WrittenOrder, error) {
	return ports.WrittenOrder{}, w.ask()
}

func (w writes) ReadOrder(ports.Outbound, ports.Connection, string, money.Currency) (order.PlatformState, error) {
	return order.PlatformState{}, w.ask()
}

func (w writes) ReadLevels(ports.Outbound, ports.Connection, []string) ([]syncrun.Record, error) {
	return nil, w.ask()
}

func (w writes) TellOrder(ports.Outbound, ports.Connection, string, ports.OrderDraft, order.PlatformStep) (bool, error) {
	return false, w.ask()
}

// Who writes orders is left alone with those who read.
func TestWriterOf(t *testing.T) {
	t.Parallel()
	if w := connectors.WriterOf(connectors.Break(&shop{})); w != nil {
		t.Errorf("%T writes orders", w)
	}
	s := &shop{err: &ports.PlatformFailure{}}
	c := connectors.Break(struct {
		writes
		ports.OAuthConnector
	}{writes{s}, oauth{s}})
	for range 5 {
		_ = read(c, "a")
	}
	w, ctx, a := connectors.WriterOf(c), ports.NewOutbound(t.Context()), ports.Connection{Key: "a"}
	if got := w.RepeatAfter(); got != time.Minute {
		t.Errorf("repeated after %s", got)
	}
	for name, err := range map[string]error{
		"find":   second(w.FindOrder(ctx, a, ports.OrderDraft{})),
		"write":  second(w.WriteOrder(ctx, a, ports.OrderDraft{})),
		"read":   second(w.ReadOrder(ctx, a, "1", money.Currency{})),
		"levels": second(w.ReadLevels(ctx, a, nil)),
		"tell":   second(w.TellOrder(ctx, a, "1", ports.OrderDraft{}, order.CancelStep{})),
	} {
		if _, ok := throttled(err); !ok || s.asked != 5 {
			t.Errorf("%s: %v, asked %d times", name, err, s.asked)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func third[A, B any](_ A, _ B, err error) error { return err }

// Accounts beyond number are forgotten one by one.
func TestBreakersAreBounded(t *testing.T) {
	t.Parallel()
	inner := &shop{err: &ports.PlatformFailure{}}
	c := connectors.Break(inner)
	for range 5 {
		_ = read(c, "a")
	}
	for n := range 10_000 {
		_ = read(c, fmt.Sprint(n))
	}
	if err := read(c, "a"); !failure(err) {
		t.Errorf("the oldest is still known: %v", err)
	}
}
