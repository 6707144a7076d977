package purchase_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

// backlog counts the lapsed checkouts that are left, by payment account.
type backlog struct {
	ports.LapsedCheckouts
	accounts []string

	mu   sync.Mutex
	left map[string]int
}

func (b *backlog) waits(account string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left[account]
}

func (b *backlog) add(account string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left[account] += n
}

func (b *backlog) Waiting(context.Context) (groups []string, err error) {
	for _, account := range b.accounts {
		if b.waits(account) > 0 {
			groups = append(groups, account)
		}
	}
	return groups, nil
}

func (b *backlog) Claim(_ context.Context, lease time.Duration, shares []ports.Share) (list []ports.Leased[*checkout.Checkout], err error) {
	for _, share := range shares {
		n := min(share.Most, b.waits(share.Group))
		b.add(share.Group, -n)
		held := ports.Held{Group: share.Group, Until: noon.Add(lease)}
		list = append(list, slices.Repeat([]ports.Leased[*checkout.Checkout]{{Held: held}}, n)...)
	}
	return list, nil
}

func (b *backlog) Now(context.Context) (time.Time, error) { return noon, nil }

// An account whose provider hangs occupies at most four workers, so that the attempts of other accounts are resolved.
func TestReconciliation_providerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, service := newFixture()
		b := &backlog{
			accounts: []string{"one/hangs", "two/hangs", "three/works"},
			left:     map[string]int{"one/hangs": 40, "two/hangs": 40},
		}
		hang, decided := make(chan struct{}), make(chan struct{}, 10)
		j := service.Reconciliation()
		j.Queue = b
		j.Work = func(_ ports.Outbound, task jobs.Task[*checkout.Checkout]) error {
			if task.Group == "three/works" {
				decided <- struct{}{}
				return nil
			}
			<-hang
			return nil
		}
		ctx, stop := context.WithCancel(t.Context())
		go jobs.NewWorker(j).Run(ctx)
		time.Sleep(time.Second)
		synctest.Wait() // the hanging accounts occupy all of their workers
		b.add("three/works", 10)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(decided) != 10 {
			t.Errorf("%d of 10 attempts of the account that works are decided", len(decided))
		}
		if one, two := b.waits("one/hangs"), b.waits("two/hangs"); one != 36 || two != 36 {
			t.Errorf("of 40 attempts each at accounts that hang %d and %d wait, want 36", one, two)
		}
		stop()
		close(hang)
		synctest.Wait()
	})
}
