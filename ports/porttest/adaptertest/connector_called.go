package adaptertest

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// CalledWorld is a platform that calls webhooks.
type CalledWorld struct {
	ports.CalledConnector
	Connection ports.Connection
	Platform   *Platform
	Topic      string
	// Hooks returns the number of webhooks registered at the platform.
	Hooks func() int
	// Call returns a webhook call of the platform at a time, which is the receiver's present: a change of the named
	// record. For the same time it returns the same call again.
	Call func(t *testing.T, signing string, at time.Time) (call ports.Call, remote string)
	// Unsigned is set for a platform that cannot sign calls; their records are read from the platform.
	Unsigned bool
	// Timeless is set for a platform whose signatures have no time.
	Timeless bool
}

const hookAddress = "https://haggle.example/hooks/wh_0123456789"

// CalledConnector is the contract of ports.CalledConnector.
func CalledConnector(t *testing.T, open func(t *testing.T) CalledWorld) {
	for name, test := range map[string]func(*testing.T, CalledWorld){
		"a webhook is registered once, and unregistered once": registerOnce,
		"another address is another webhook":                  registerOther,
		"a platform in trouble registers nothing":             registerTrouble,
		"a signed call is believed, and tells of a record":    callBelieved,
		"a call that nobody signed is not believed":           callForged,
		"an old call is not believed":                         callOld,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func (w CalledWorld) register(t *testing.T, address string) (remote, signing string) {
	t.Helper()
	remote, signing, err := w.Register(ports.NewOutbound(t.Context()), w.Connection, w.Topic, address)
	if err != nil || remote == "" {
		t.Fatalf("registered as %q: %v", remote, err)
	}
	return remote, signing
}

func (w CalledWorld) wantHooks(t *testing.T, n int) {
	t.Helper()
	if got := w.Hooks(); got != n {
		t.Errorf("the platform has %d webhooks, want %d", got, n)
	}
}

func registerOnce(t *testing.T, w CalledWorld) {
	first, _ := w.register(t, hookAddress)
	if again, _ := w.register(t, hookAddress); again != first {
		t.Errorf("registered as %s, then as %s", first, again)
	}
	w.wantHooks(t, 1)
	for range 2 {
		if err := w.Unregister(ports.NewOutbound(t.Context()), w.Connection, first); err != nil {
			t.Error(err)
		}
	}
	w.wantHooks(t, 0)
}

func registerOther(t *testing.T, w CalledWorld) {
	first, _ := w.register(t, hookAddress)
	if other, _ := w.register(t, hookAddress+"x"); other == first {
		t.Errorf("both are %s", first)
	}
	w.wantHooks(t, 2)
}

func registerTrouble(t *testing.T, w CalledWorld) {
	remote, _ := w.register(t, hookAddress)
	secrets := []string{w.Connection.Credentials.Key, w.Connection.Credentials.Secret}
	ask := func(doing string, right func(error) bool) {
		t.Helper()
		_, _, err := w.Register(ports.NewOutbound(t.Context()), w.Connection, w.Topic, hookAddress)
		gone := w.Unregister(ports.NewOutbound(t.Context()), w.Connection, remote)
		if !right(err) || !right(gone) {
			t.Errorf("%s: registering %v, unregistering %v", doing, err, gone)
		}
		mum(t, err, secrets)
		mum(t, gone, secrets)
	}
	w.Platform.Refuse()
	ask("it refuses", func(err error) bool { return errors.Is(err, ports.ErrCredentialsRefused) })
	w.Platform.Fail()
	ask("it fails", isFailure)
	w.Platform.Hang()
	ask("it hangs", isFailure)
	w.Platform.Throttle("90")
	ask("it throttles", func(err error) bool {
		var wish ports.Throttled
		return errors.As(err, &wish) && wish.After == 90*time.Second
	})
	w.Platform.Recover()
	w.wantHooks(t, 1)
}

func callBelieved(t *testing.T, w CalledWorld) {
	_, signing := w.register(t, hookAddress)
	at := time.Now().UTC().Truncate(time.Millisecond)
	call, remote := w.Call(t, signing, at)
	stamp, err := w.Verify(call, signing)
	if err != nil {
		t.Fatal(err)
	}
	if stamp.Topic != "" && stamp.Topic != w.Topic || !stamp.At.IsZero() && !stamp.At.Equal(at) {
		t.Errorf("the call says %+v, want %s at %s", stamp, w.Topic, at)
	}
	repeated, _ := w.Call(t, signing, at)
	if again, err := w.Verify(repeated, signing); err != nil || again != stamp {
		t.Errorf("repeated it says %+v, before %+v; %v", again, stamp, err)
	}
	news, err := w.News(ports.NewOutbound(t.Context()), w.Connection, w.Topic, stamp.At, call.Payload)
	if err != nil || len(news) == 0 {
		t.Fatalf("%+v, %v", news, err)
	}
	for _, r := range news {
		if r.Remote != remote || r.Problem != "" {
			t.Errorf("the news are of %q (%s), want %q", r.Remote, r.Problem, remote)
		}
	}
}

func callForged(t *testing.T, w CalledWorld) {
	if w.Unsigned {
		t.Skip("the platform does not sign")
	}
	_, signing := w.register(t, hookAddress)
	call, _ := w.Call(t, signing, time.Now())
	if _, err := w.Verify(call, signing); err != nil {
		t.Fatal(err)
	}
	for name, payload := range alterations(call.Payload) {
		forged := call
		forged.Payload = payload
		wantForged(t, w, name, forged, signing)
	}
	bare := call
	bare.Header = func(string) string { return "" }
	wantForged(t, w, "no signature", bare, signing)
	garbled := call
	garbled.Header = func(name string) string { return call.Header(name) + "A" }
	wantForged(t, w, "another signature", garbled, signing)
	if signing != "" { // else it is the platform's own
		other, _ := w.Call(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", time.Now())
		wantForged(t, w, "another secret", other, signing)
		wantForged(t, w, "no secret", call, "")
	}
}

func alterations(payload []byte) map[string][]byte {
	return map[string][]byte{
		"a payload with more":   append(slices.Clone(payload), ' '),
		"a payload with less":   payload[:len(payload)-1],
		"a payload with others": bytes.Replace(payload, []byte(`"`), []byte("'"), 1),
		"no payload":            nil,
	}
}

func wantForged(t *testing.T, w CalledWorld, name string, call ports.Call, signing string) {
	t.Helper()
	if stamp, err := w.Verify(call, signing); !fault.Is(err, "invalid_signature") || fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("%s: %+v, %v", name, stamp, err)
	}
}

func callOld(t *testing.T, w CalledWorld) {
	if w.Unsigned || w.Timeless {
		t.Skip("the platform's signature has no time")
	}
	_, signing := w.register(t, hookAddress)
	for _, off := range []time.Duration{-6 * time.Minute, 6 * time.Minute, -time.Hour} {
		call, _ := w.Call(t, signing, time.Now())
		call.Now = call.Now.Add(off)
		wantForged(t, w, "off by "+off.String(), call, signing)
	}
}
