package signingkeys_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/signingkeys"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
)

// A project's key is read once in ten seconds. A failed read is not cached.
func TestRemembered(t *testing.T) {
	t.Parallel()
	one, two := id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2})
	now, reads, failure := time.Unix(0, 0), 0, error(nil)
	keys := signingkeys.NewRemembered(func(context.Context, id.Project) (signing.Private, error) {
		reads++
		return signing.Private{}, failure
	}, func() time.Time { return now })
	for n, test := range []struct {
		project id.Project
		passes  time.Duration
		failure error
		reads   int
	}{
		{one, 0, errors.New("no database"), 1},
		{one, 0, nil, 2},
		{one, 9 * time.Second, errors.New("no database"), 2},
		{two, 0, nil, 3},
		{one, time.Second, nil, 4},
		{two, 9 * time.Second, nil, 5},
	} {
		now, failure = now.Add(test.passes), test.failure
		_, err := keys.Signer(t.Context(), test.project)
		if reads != test.reads || (err != nil) != (reads > 0 && n == 0) {
			t.Errorf("%d: read %d times, %v", n, reads, err)
		}
	}
}
