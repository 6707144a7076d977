package signingkeys

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
)

const (
	// cacheSize is how many projects' keys are cached.
	cacheSize = 1_024
	// cacheTTL is how long a key is cached. A replaced key stays published for days, so signatures that it makes meanwhile
	// verify. A revoked key is not published, so receivers rightly refuse what it signs until it leaves the cache.
	cacheTTL = 10 * time.Second
)

// Remembered is a cache of the keys that sign for projects. Without it every signed response would cost a statement. It is
// safe for concurrent use.
type Remembered struct {
	read func(context.Context, id.Project) (signing.Private, error)
	now  func() time.Time // a monotonic clock
	kept *lru.Cache[id.Project, cachedKey]
}

type cachedKey struct {
	key   signing.Private
	until time.Time
}

// NewRemembered returns an empty cache that reads keys by read, which is Service.Signer.
func NewRemembered(read func(context.Context, id.Project) (signing.Private, error), now func() time.Time) *Remembered {
	kept, _ := lru.New[id.Project, cachedKey](cacheSize) // fails only for sizes below one
	return &Remembered{
		read: read,
		now:  now,
		kept: kept,
	}
}

// Signer returns the key that signs for the project, or did up to cacheTTL ago.
func (r *Remembered) Signer(ctx context.Context, project id.Project) (signing.Private, error) {
	if k, ok := r.kept.Get(project); ok && r.now().Before(k.until) {
		return k.key, nil
	}
	key, err := r.read(ctx, project)
	if err != nil {
		return signing.Private{}, err
	}
	r.kept.Add(project, cachedKey{key, r.now().Add(cacheTTL)})
	return key, nil
}
