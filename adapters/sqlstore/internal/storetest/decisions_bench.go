package storetest

import (
	"testing"
)

func SealAll(b testing.TB, s *Store) {
	b.Helper()
	for {
		n, err := s.Decisions().Seal(b.Context(), 5_000)
		if err != nil {
			b.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}
