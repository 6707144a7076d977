package porttest

import (
	"errors"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// AtOnce runs the attempt n times at the same moment and returns what went wrong, joined.
func AtOnce(n int, attempt func(i int) error) error { return errors.Join(Together(n, attempt)...) }

// Together runs the attempt n times at the same moment and returns each one's error.
func Together(n int, attempt func(i int) error) []error {
	results := make([]error, n)
	var start, done sync.WaitGroup
	start.Add(1)
	for i := range n {
		done.Go(func() {
			start.Wait()
			results[i] = attempt(i)
		})
	}
	start.Done()
	done.Wait()
	return results
}

// WantDetail checks that a fault names the field.
func WantDetail(t testing.TB, err error, field string) {
	t.Helper()
	var f *fault.Error
	if errors.As(err, &f) {
		for _, d := range f.Details {
			if d.Field == field {
				return
			}
		}
	}
	t.Errorf("%v does not name %s", err, field)
}
