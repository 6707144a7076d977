package db

import (
	"path/filepath"
	"testing"
	"time"
)

func TestConfig_LockWait(t *testing.T) {
	t.Parallel()
	url := "sqlite://" + filepath.Join(t.TempDir(), "shop.db")
	for wait, want := range map[time.Duration]int{0: 5000, 30 * time.Second: 30000} {
		s, err := Open(t.Context(), Config{
			URL:      url,
			LockWait: wait,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range map[string]pool{"writer": s.write, "reader": s.read} {
			var got int
			if err := p.GetContext(t.Context(), &got, "PRAGMA busy_timeout"); err != nil || got != want {
				t.Errorf("%v: the %s waits %d ms, %v, want %d", wait, name, got, err, want)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
