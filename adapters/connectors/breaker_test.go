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

// fakeConnector returns err from every request and counts the requests.
type fakeConnector struct {
	err   error
	asked int
	slow  time.Duration
}

func (s *fakeConnector) ask() error {
	s.asked++
	time.Sleep(s.slow) // fake time: synctest
	return s.err
}

func (s *fakeConnector) Inspect(ports.Outbound, ports.Connection) (integration.Config, error) {
	return integration.Config{Account: "1"}, s.ask()
}

func (s *fakeConnector) Read(ports.Outbound, ports.Connection, ports.PageRequest) (ports.RecordPage, error) {
	return ports.RecordPage{Next: "2"}, s.ask()
}

type fakeOAuth struct{ *fakeConnector }

func (fakeOAuth) Consent(ports.Consent) (string, error) { return "consent", nil }
func (fakeOAuth) NeedsStore() bool                      { return false }
func (fakeOAuth) CheckCallback(ports.CodeGrant) error   { return nil }
func (fakeOAuth) Exchange(ports.Outbound, ports.CodeGrant) (integration.Credentials, error) {
	return integration.Credentials{Key: "new"}, nil
}
func (o fakeOAuth) Refresh(ports.Outbound, ports.Connection) (integration.Credentials, error) {
	return integration.Credentials{Key: "fresh"}, o.ask()
}

type fakeCalled struct{ *fakeConnector }

func (c fakeCalled) Register(ports.Outbound, ports.Connection, string, string) (string, string, error) {
	return "remote", "signing", c.ask()
}
func (c fakeCalled) Unregister(ports.Outbound, ports.Connection, string) error { return c.ask() }
func (fakeCalled) SignatureHeader() string                                     { return "" }
func (fakeCalled) Verify(ports.Call, string) (ports.CallStamp, error) {
	return ports.CallStamp{Delivery: "d"}, nil
}
func (c fakeCalled) News(ports.Outbound, ports.Connection, string, time.Time, []byte) ([]syncrun.Record, error) {
	return []syncrun.Record{{Remote: "1"}}, c.ask()
}

type fakeShipper struct{ *fakeConnector }

func (s fakeShipper) Rates(ports.Outbound, ports.Connection, ports.RateRequest) ([]ports.ShippingRate, error) {
	return nil, s.ask()
}
func (s fakeShipper) Buy(ports.Outbound, ports.Connection, ports.LabelRequest) (ports.ShippingLabel, error) {
	return ports.ShippingLabel{}, s.ask()
}
func (s fakeShipper) Bought(ports.Outbound, ports.Connection, *order.Order) (*ports.ShippingLabel, error) {
	return nil, s.ask()
}

func (s fakeShipper) Void(ports.Outbound, ports.Connection, ports.VoidRequest) error { return s.ask() }

func read(c ports.Connector, key string) error {
	_, err := c.Read(ports.NewOutbound(context.Background()), ports.Connection{Key: key}, ports.PageRequest{})
	return err
}

func throttled(err error) (time.Duration, bool) {
	var t ports.Throttled
	return t.After, errors.As(err, &t)
}

func TestBreaker_Read_opensAfterFiveFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &fakeConnector{err: &ports.PlatformFailure{Reason: "down"}}
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
		// After the pause one request is tried. It fails, and the pause starts again; later it succeeds.
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

// After the pause one request is sent as a trial, and others wait for its result.
func TestBreaker_Read_halfOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &fakeConnector{err: &ports.PlatformFailure{Reason: "down"}}
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

func TestBreaker_Read_onlyConsecutiveFailures(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]error{
		"an answer": nil, "credentials": ports.ErrCredentialsRefused, "patience": ports.Throttled{After: 1}, "a refusal": &ports.PlatformRefusal{},
	} {
		inner := &fakeConnector{}
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
	inner := &fakeConnector{}
	c := connectors.Break(inner)
	for n := range 12 { // a canceled request is not counted
		if inner.err = error(&ports.PlatformFailure{}); n%2 == 1 {
			inner.err = context.Canceled
		}
		_ = read(c, "a")
	}
	if inner.asked != 9 {
		t.Errorf("asked %d times", inner.asked)
	}
}

func TestBreak_keepsInterfaces(t *testing.T) {
	t.Parallel()
	s := &fakeConnector{}
	for name, inner := range map[string]ports.Connector{
		"none": s, "oauth": fakeOAuth{s}, "called": fakeCalled{s}, "ships": fakeShipper{s},
		"oauth+called": struct {
			fakeOAuth
			C fakeCalled
		}{fakeOAuth{s}, fakeCalled{s}},
		"both": struct {
			*fakeConnector
			ports.OAuthConnector
			ports.CalledConnector
		}{s, fakeOAuth{s}, fakeCalled{s}},
		"oauth ships": struct {
			*fakeConnector
			ports.OAuthConnector
			ports.Shipper
		}{s, fakeOAuth{s}, fakeShipper{s}},
		"called ships": struct {
			*fakeConnector
			ports.CalledConnector
			ports.Shipper
		}{s, fakeCalled{s}, fakeShipper{s}},
		"all": struct {
			*fakeConnector
			ports.OAuthConnector
			ports.CalledConnector
			ports.Shipper
		}{s, fakeOAuth{s}, fakeCalled{s}, fakeShipper{s}},
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

// An open circuit stops every request of the account, but not the checks of signatures, which send none.
func TestBreak_openCircuit(t *testing.T) {
	t.Parallel()
	s := &fakeConnector{err: &ports.PlatformFailure{}}
	c := connectors.Break(struct {
		*fakeConnector
		ports.OAuthConnector
		ports.CalledConnector
		ports.Shipper
	}{s, fakeOAuth{s}, fakeCalled{s}, fakeShipper{s}})
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

// fakeOrderWriter is a fakeConnector with an OrderWriter.
type fakeOrderWriter struct{ *fakeConnector }

func (fakeOrderWriter) RepeatAfter() time.Duration { return time.Minute }

func (w fakeOrderWriter) FindOrder(ports.Outbound, ports.Connection, ports.OrderDraft) (*ports.WrittenOrder, error) {
	return nil, w.ask()
}

func (w fakeOrderWriter) WriteOrder(ports.Outbound, ports.Connection, ports.OrderDraft) (ports.WrittenOrder, error) {
	return ports.WrittenOrder{}, w.ask()
}

func (w fakeOrderWriter) ReadOrder(ports.Outbound, ports.Connection, string, money.Currency) (order.PlatformState, error) {
	return order.PlatformState{}, w.ask()
}

func (w fakeOrderWriter) ReadLevels(ports.Outbound, ports.Connection, []string) ([]syncrun.Record, error) {
	return nil, w.ask()
}

func (w fakeOrderWriter) UpdateOrder(ports.Outbound, ports.Connection, string, ports.OrderDraft, order.PlatformStep) (bool, error) {
	return false, w.ask()
}

// Writing and reading orders share the circuit of the account.
func TestWriterOf(t *testing.T) {
	t.Parallel()
	if w := connectors.WriterOf(connectors.Break(&fakeConnector{})); w != nil {
		t.Errorf("%T writes orders", w)
	}
	s := &fakeConnector{err: &ports.PlatformFailure{}}
	c := connectors.Break(struct {
		fakeOrderWriter
		ports.OAuthConnector
	}{fakeOrderWriter{s}, fakeOAuth{s}})
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
		"tell":   second(w.UpdateOrder(ctx, a, "1", ports.OrderDraft{}, order.CancelStep{})),
	} {
		if _, ok := throttled(err); !ok || s.asked != 5 {
			t.Errorf("%s: %v, asked %d times", name, err, s.asked)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func third[A, B any](_ A, _ B, err error) error { return err }

// Beyond KnownAccounts the breaker drops the oldest account.
func TestBreak_knownAccounts(t *testing.T) {
	t.Parallel()
	inner := &fakeConnector{err: &ports.PlatformFailure{}}
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
