package passwords

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/haggle-commerce/haggle/domain/fault"
)

func TestArgon2(t *testing.T) {
	t.Parallel()
	a := New()
	hash, err := a.Hash(t.Context(), "correct horse battery")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%q, %v", hash, err)
	}
	again, err := a.Hash(t.Context(), "correct horse battery")
	if err != nil || again == hash {
		t.Errorf("no salt: %q, %v", again, err)
	}
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse batter": false, "": false} {
		if right, err := a.Verify(t.Context(), hash, password); right != want || err != nil {
			t.Errorf("%q: %v, %v", password, right, err)
		}
	}
	if _, err := a.Verify(t.Context(), "plain", "plain"); !errors.Is(err, fault.ErrUnreadable) {
		t.Errorf("no hash: %v", err)
	}
}

// An empty hash, of an unknown member, costs as much as a wrong password: the password is compared with a hash of the same
// parameters. The test does not measure time, which depends on the machine's load.
func TestVerify_nobody(t *testing.T) {
	t.Parallel()
	a := New()
	for _, password := range []string{"", "correct horse battery"} {
		if right, err := a.Verify(t.Context(), "", password); right || err != nil {
			t.Errorf("%q: %v, %v", password, right, err)
		}
	}
	hash, err := a.Hash(t.Context(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	somebody, _, _, err := argon2id.DecodeHash(hash)
	if err != nil {
		t.Fatal(err)
	}
	if nobody, _, _, err := argon2id.DecodeHash(a.unknownMember); err != nil || *nobody != *somebody || *nobody != parameters {
		t.Errorf("nobody's has %+v, %v, somebody's %+v", nobody, err, somebody)
	}
}

func TestInPlace(t *testing.T) {
	t.Parallel()
	a := New()
	release, started, done := make(chan struct{}), make(chan struct{}), make(chan error)
	for range atOnce + mostWaiting {
		go func() {
			done <- a.inPlace(context.Background(), func() error { started <- struct{}{}; <-release; return nil })
		}()
	}
	for range atOnce {
		<-started
	}
	for a.waiting.Load() < atOnce+mostWaiting {
		time.Sleep(time.Millisecond)
	}
	select {
	case <-started:
		t.Error("more are hashed at once")
	case <-time.After(10 * time.Millisecond):
	}
	if _, err := a.Hash(t.Context(), "x"); fault.KindOf(err) != fault.Unavailable || !fault.Is(err, "overloaded") {
		t.Errorf("one too many: %v", err)
	}
	close(release)
	go func() {
		for range mostWaiting {
			<-started
		}
	}()
	for range atOnce + mostWaiting {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.places <- struct{}{}
	a.places <- struct{}{}
	if err := a.inPlace(ctx, func() error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v", err)
	}
	if a.waiting.Load() != 0 {
		t.Errorf("%d wait", a.waiting.Load())
	}
}
