package purchase

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	// lockPayers begins the statement that reads stock on PostgreSQL, and is completed by rows of project and slot,
	// ascending. The statement reads no stock before all slots are locked, because oncePayersAreLocked is its one-time
	// filter. Claim counts attempts in the next statement, whose snapshot has what earlier holders of the locks
	// committed.
	lockPayers = `
WITH locked AS (
  INSERT INTO claim_locks (project_id, slot)
  VALUES %s
  ON CONFLICT (project_id, slot) DO UPDATE
  SET slot = excluded.slot
  RETURNING slot
)`

	oncePayersAreLocked = `
  AND (SELECT count(*) FROM locked) > 0`

	// selectNeeded is completed by the needed variants.
	selectNeeded = `
SELECT v.product_id, s.variant_id, v.sku, s.location, s.quantity, v.inventory_policy AS policy, v.digital
FROM stock AS s
JOIN variants AS v ON v.project_id = s.project_id AND v.id = s.variant_id
JOIN products AS p ON p.project_id = v.project_id AND p.id = v.product_id
WHERE s.project_id = $1
  AND p.status = 'active'
  AND p.deleted_at IS NULL
  AND s.variant_id IN `

	byVariantAndLocation = `
ORDER BY s.variant_id, s.location`
)

// claimRow is a checkout with the client that pays it.
type claimRow struct {
	CheckoutRow
	Client string
}

var (
	// updateClaimed writes the hook, too, because an agent may name its webhook for the order as late as it pays. Its
	// parameters are the begin of the window of counted payments, their maximum number, the session, and the version of
	// the project. andClient relies on the client being the last of its columns.
	updateClaimed = db.NewTable[claimRow]("checkouts").Update(checkoutKey, append(changedByVerbs, "hook_protocol", "hook_url", "client")...)

	// claimCheckout writes the checkout unless the session tried too many payments.
	claimCheckout = updateClaimed.But("status", unlessChanged).Text + belowAttemptLimit("c.session_id = %[3]s", updateClaimed.After(3))

	// andClient completes claimCheckout where the client is known.
	andClient = belowAttemptLimit("c.client = %[3]s\n      AND c.client <> ''", updateClaimed.After(0))
)

func unlessChanged(status string) string {
	return db.UnlessChanged(status, "$1", updateClaimed.After(4))
}

// belowAttemptLimit is the condition that a payer was declined, and has attempts in flight, less often than a claim allows.
func belowAttemptLimit(attemptsOf, payer string) string {
	return fmt.Sprintf(`
  AND %[2]s > (
    SELECT count(*)
    FROM declines AS d
    WHERE d.project_id = $1
      AND d.subject = %[3]s
      AND d.at > %[1]s
  ) + (
    SELECT count(*)
    FROM checkouts AS c
    WHERE c.project_id = $1
      AND `+attemptsOf+`
      AND c.status = 'processing'
      AND c.claimed_at > %[1]s
  )`, updateClaimed.After(1), updateClaimed.After(2), payer)
}

// claimSlots is the maximum number of rows of claim_locks of a project. All replicas must agree on it and on slotOf.
const claimSlots = 1024

func slotOf(payer string) int {
	h := fnv.New32a()
	h.Write([]byte(payer))
	return int(h.Sum32() % claimSlots)
}

// slots are the payers' slots in the order in which they are locked.
func slots(payers []string) []int {
	list := make([]int, len(payers))
	for i, p := range payers {
		list[i] = slotOf(p)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (p purchase) LockWithStock(
	ctx context.Context, of id.Checkout, needs []catalog.Need, payers []string,
) (*checkout.Checkout, []catalog.Level, time.Time, error) {
	var row *checkoutNowRow
	var levels []catalog.Level
	b := &db.Batch{}
	b.Query(&row, p.lockCheckout(), p.project, of)
	query, args := p.readStock(needs, payers)
	b.Query(&levels, query, args...)
	err := p.tx.Run(ctx, b)
	if err == nil && row == nil {
		err = fault.Missing("checkout")
	}
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	return FromCheckoutRow(row.CheckoutRow), levels, row.Now, nil
}

// readStock is the statement that locks payers and reads stock, in this order.
func (p purchase) readStock(needs []catalog.Need, payers []string) (string, db.Args) {
	variants := make([]string, len(needs))
	for i, n := range needs {
		variants[i] = n.Variant.String()
	}
	args := db.Args{p.project}
	query, once := "", ""
	if p.tx.Dialect.ForUpdate != "" && len(payers) > 0 {
		query, once = p.lockPayers(&args, payers), oncePayersAreLocked
	}
	query += selectNeeded + args.List(variants) + once + byVariantAndLocation
	return query, args
}

func (p purchase) lockPayers(args *db.Args, payers []string) string {
	rows := ""
	for _, slot := range slots(payers) {
		if rows != "" {
			rows += ", "
		}
		rows += "($1, CAST(" + args.Add(slot) + " AS INTEGER))"
	}
	return fmt.Sprintf(lockPayers, rows)
}

func (p purchase) Claim(ctx context.Context, c *checkout.Checkout, version int64) error {
	s := c.Snapshot()
	effects := []db.Effect{claimed(toCheckoutRow(c), s, version)}
	if taken := catalog.Stocked(s.Taken); len(taken) > 0 {
		effects = append(effects, p.take(taken))
	}
	if tokens := tokensOf(s.Lines); len(tokens) > 0 {
		args := db.Args{p.project, s.ID}
		statement := reserveTokens + args.List(tokens)
		effects = append(effects, db.Effect{
			Statement: statement,
			Args:      args,
			Rows:      len(tokens),
			Short:     tokenRedeemed(),
		})
	}
	return p.tx.Last(ctx, effects...)
}

// take reserves stock, which other transactions may be changing. This statement is the first to lock its rows, so that
// buyers of the same variant wait for each other's COMMIT and not for the server's work before it.
func (p purchase) take(takes []catalog.Reservation) db.Effect {
	args := db.Args{p.project}
	statement := wanted + takesRows(&args, takes)
	if len(takes) > 1 && p.tx.Dialect.ForUpdate != "" {
		statement += holdStock + lock(p.tx.Dialect, "s") + takeHeldStock
	} else {
		statement += takeStock
	}
	return db.Effect{
		Statement: statement,
		Args:      args,
		Rows:      len(takes),
		Short:     outOfStock(),
	}
}

// claimed stores a claimed checkout, which is locked: if no row is written, too many payments were tried.
func claimed(row CheckoutRow, s checkout.Snapshot, version int64) db.Effect {
	since := s.ClaimedAt.Add(-checkout.DeclineWindow)
	args := updateClaimed.Args(claimRow{row, s.Payment.Client}, since, checkout.MostDeclined, s.Session, version)
	statement := claimCheckout
	if s.Payment.Client != "" {
		statement += andClient
	}
	return db.Effect{
		Statement: statement,
		Args:      args,
		Rows:      1,
		Short:     checkout.ErrTooManyInFlight,
	}
}

// declined records a declined payment for its payers.
func (p purchase) declined(c checkout.Snapshot, at time.Time) []db.Effect {
	var effects []db.Effect
	for _, payer := range checkout.Payers(c.Session, c.Payment.Client) {
		args := []any{p.project, payer, at, c.ID, c.Attempt}
		effects = append(effects, db.Effect{
			Statement: insertDecline,
			Args:      args,
			Rows:      db.AnyRows,
		})
	}
	return effects
}
