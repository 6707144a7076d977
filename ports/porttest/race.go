package porttest

import (
	"errors"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// atOnce runs the attempt n times at the same moment and returns what went wrong, joined.
func atOnce(n int, attempt func(i int) error) error { return errors.Join(together(n, attempt)...) }

// together runs the attempt n times at the same moment and returns each one's error.
func together(n int, attempt func(i int) error) []error {
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

// wantDetail checks that a fault names the field.
func wantDetail(t testing.TB, err error, field string) {
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
