package purchase

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// claimed is the result of a claim: paid, lapsed or attempt.
type claimed interface{ claimed() }

// paid is a checkout that already has an order.
type paid struct {
	order    *order.Order
	checkout *checkout.Checkout
}

// attempt is a payment attempt to be charged now.
type attempt struct {
	checkout *checkout.Checkout
	// late fires once too little of the lease is left for a charge. It is started before the claim and uses the monotonic
	// clock, so that adjusting a clock cannot prolong the lease.
	late *time.Timer
}

// lapsed is an earlier attempt whose outcome must be found first.
type lapsed struct {
	attempt
	same  bool // it was made with the same token
	again bool // its charge may be repeated under its idempotency key
}

func (paid) claimed()    {}
func (attempt) claimed() {}

// maxStockRetries is how often one finalize allocates stock again because others reserved it during the claim. Each retry means
// that a level fell below what is needed, so a checkout with few levels does not reach it.
const maxStockRetries = 10

// claim is the first transaction: the checkout becomes processing, and its stock is reserved. payable is the checkout as it
// was when it was payable; nil: it was not. Stock is not locked before it is reserved; if others were faster, claim
// allocates again from the stock that is left.
func (s *Service) claim(
	ctx context.Context, p *project.Project, r FinalizeRequest, route project.PaymentRoute, payable *checkout.Checkout,
) (result claimed, err error) {
	for retries := 0; ; retries++ {
		allocated := false
		result, err = s.claimOnce(ctx, p, r, route, payable, &allocated)
		if !allocated || !fault.Is(err, "out_of_stock") || retries == maxStockRetries {
			return result, err
		}
	}
}

// claimOnce sets allocated if it found enough stock.
func (s *Service) claimOnce(
	ctx context.Context, p *project.Project, r FinalizeRequest, route project.PaymentRoute, payable *checkout.Checkout, allocated *bool,
) (result claimed, err error) {
	var refusal error // returned although the transaction commits
	payment := checkout.Payment{
		Method:    r.Method,
		Route:     route,
		Client:    r.Client,
		TokenHash: id.Hash(r.Token),
		Email:     r.Email,
		Notes:     r.Notes,
		Option:    r.Option,
	}
	hook := r.Hook
	if s.checkHook(hook) != nil {
		hook = checkout.Hook{}
	}
	if err := failpoint.At(ctx, failpoint.BeforeClaim); err != nil {
		return nil, err
	}
	err = s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		late := time.NewTimer(checkout.Lease - chargeTimeout)
		c, levels, now, err := lock(ctx, tx, r.Checkout, payable, r.Client)
		if err != nil {
			return err
		}
		result, refusal, *allocated = attempt{c, late}, nil, false
		switch {
		case c.Status() == checkout.Completed:
			result = paid{checkout: c}
			return nil
		case c.Lapsed(now):
			result = lapsed{attempt{c, late}, c.Snapshot().Payment.TokenHash == payment.TokenHash, c.Repeatable(payment.TokenHash, now)}
			if err := c.Renew(c.Attempt(), now); err != nil {
				return err
			}
			return tx.Save(ctx, c, nil)
		}
		if refusal = c.Payable(now); refusal != nil {
			if c.Expire(now) == nil {
				return tx.Save(ctx, c, nil)
			}
			return refusal
		}
		if payable == nil { // it has become payable after the check, so the agent has not consented
			return checkout.ErrProcessing
		}
		if c.Revision() != payable.Revision() { // the agent's consent and the stock that was read are for another revision
			return checkout.ErrChanged
		}
		if r.Physical && c.HasDigital() {
			return checkout.ErrDigital
		}
		if err := c.StillDigital(levels); err != nil {
			return err
		}
		takes, short := catalog.Allocate(c.Needs(), levels)
		if len(short) > 0 {
			return outOfStock(c, short)
		}
		*allocated = true
		c.SetHook(hook)
		return claimWithStock(ctx, tx, c, takes, p.Version, payment, now)
	})
	if err = cmp.Or(err, refusal); err != nil {
		return nil, err
	}
	if done, ok := result.(paid); ok {
		done.order, err = s.Orders.ByCheckout(ctx, p.ID, r.Checkout)
		return done, err
	}
	return result, failpoint.At(ctx, failpoint.ClaimCommitted)
}

// lock locks a checkout and, if it is payable, loads the stock that it needs.
func lock(ctx context.Context, tx ports.Purchase, of id.Checkout, payable *checkout.Checkout, client string) (*checkout.Checkout, []catalog.Level, time.Time, error) {
	if payable == nil {
		c, now, err := tx.Lock(ctx, of)
		return c, nil, now, err
	}
	return tx.LockWithStock(ctx, of, payable.Needs(), checkout.Payers(payable.Snapshot().Session, client))
}

// claimWithStock claims a payable checkout and reserves its stock, unless the project has another version.
func claimWithStock(
	ctx context.Context, tx ports.Purchase, c *checkout.Checkout, takes []catalog.Reservation, version int64, payment checkout.Payment, now time.Time,
) error {
	if err := c.Claim(payment, takes, now); err != nil {
		return err
	}
	if err := tx.Claim(ctx, c, version); err != nil {
		return err
	}
	return failpoint.At(ctx, failpoint.Claimed)
}

func outOfStock(c *checkout.Checkout, short []catalog.Need) error {
	e := fault.New(fault.Conflict, "out_of_stock", "There is not enough stock. Nothing was charged.")
	for i, line := range c.Snapshot().Lines {
		at := slices.IndexFunc(short, func(n catalog.Need) bool { return n.Variant == line.Variant })
		if at >= 0 {
			e.With("items."+strconv.Itoa(i)+".quantity", fmt.Sprintf("only %d of %s left", short[at].Quantity, strings.TrimSpace(line.Name+" "+line.Label)))
		}
	}
	return e
}
