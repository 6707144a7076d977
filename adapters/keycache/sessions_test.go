package keycache_test

import (
	"context"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/keycache"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// slowSessions knows one token, and lets lookups of others wait.
type slowSessions struct {
	ports.ConsoleSessions
	started, release chan struct{}
}

var knownToken = [32]byte{1}

func (s *slowSessions) ByHash(_ context.Context, hash [32]byte) (*ports.SignedIn, error) {
	if hash == knownToken {
		return &ports.SignedIn{Session: &member.Session{}}, nil
	}
	s.started <- struct{}{}
	<-s.release
	return nil, fault.Missing("console_session")
}

// Strangers are refused when too many look up at once, and a member who was found before does not wait for them.
func TestSessions_strangers(t *testing.T) {
	t.Parallel()
	source := &slowSessions{started: make(chan struct{}), release: make(chan struct{})}
	s := keycache.NewSessions(source)
	if _, err := s.ByHash(t.Context(), knownToken); err != nil {
		t.Fatal(err)
	}
	const places = 4
	done := make(chan error)
	for n := range places {
		go func() {
			_, err := s.ByHash(context.Background(), [32]byte{2, byte(n)})
			done <- err
		}()
	}
	for range places {
		<-source.started
	}
	if _, err := s.ByHash(t.Context(), knownToken); err != nil {
		t.Errorf("a member: %v", err)
	}
	if _, err := s.ByHash(t.Context(), [32]byte{3}); !fault.Is(err, "overloaded") {
		t.Errorf("one stranger too many: %v", err)
	}
	close(source.release)
	for range places {
		if err := <-done; fault.KindOf(err) != fault.NotFound {
			t.Error(err)
		}
	}
}
