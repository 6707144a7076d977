package db

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lib/pq"
)

func TestRetryLocks(t *testing.T) {
	locked, deadlock, broken := &pq.Error{Code: "55P03"}, &pq.Error{Code: "40P01"}, errors.New("broken")
	for name, c := range map[string]struct {
		answers []error // the last one again and again
		want    error
		runs    int
	}{
		"gets its locks":       {[]error{locked, locked, nil}, nil, 3},
		"loses a deadlock":     {[]error{deadlock, nil}, nil, 2},
		"fails otherwise":      {[]error{locked, broken}, broken, 2},
		"never gets its locks": {[]error{locked}, locked, alterTries},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs, began := 0, time.Now()
				err := retryLocks(t.Context(), func() error {
					runs++
					return c.answers[min(runs, len(c.answers))-1]
				})
				if !errors.Is(err, c.want) || runs != c.runs || time.Since(began) != time.Duration(c.runs-1)*alterPause {
					t.Errorf("%v after %d runs and %s", err, runs, time.Since(began))
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := retryLocks(ctx, func() error { return locked }); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
