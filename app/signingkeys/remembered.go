package signingkeys

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
)

const (
	// mostRemembered is how many projects' keys are remembered.
	mostRemembered = 1_024
	// forgetAfter is how long. A key that has been replaced is published for days more, so that what it signs meanwhile is
	// good. One that was revoked is not: what it signs for this long is refused, as it should be.
	forgetAfter = 10 * time.Second
)

// Remembered are the keys that sign for projects, remembered for a moment: answers that are signed must not cost a statement
// each. It is safe for concurrent use.
type Remembered struct {
	read func(context.Context, id.Project) (signing.Private, error)
	now  func() time.Time // a monotonic clock
	kept *lru.Cache[id.Project, remembered]
}

type remembered struct {
	key   signing.Private
	until time.Time
}

// NewRemembered returns keys that are read by read, which is Service.Signer, and of which none was read yet.
func NewRemembered(read func(context.Context, id.Project) (signing.Private, error), now func() time.Time) *Remembered {
	kept, _ := lru.New[id.Project, remembered](mostRemembered) // fails for sizes below one alone
	return &Remembered{
		read: read,
		now:  now,
		kept: kept,
	}
}

// Signer is the key that signs for the project, or did a moment ago.
func (r *Remembered) Signer(ctx context.Context, project id.Project) (signing.Private, error) {
	if k, ok := r.kept.Get(project); ok && r.now().Before(k.until) {
		return k.key, nil
	}
	key, err := r.read(ctx, project)
	if err != nil {
		return signing.Private{}, err
	}
	r.kept.Add(project, remembered{key, r.now().Add(forgetAfter)})
	return key, nil
}
