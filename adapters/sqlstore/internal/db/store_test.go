package db

import (
	"testing"
	"time"
)

func TestNow(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		before := time.Now().Truncate(time.Millisecond)
		now, err := s.Now(t.Context())
		if err != nil || now.Before(before) || now.After(time.Now().Add(time.Millisecond)) {
			t.Errorf("%v, %v: the database is on this machine", now, err)
		}
	})
}
