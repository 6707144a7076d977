package verify

import (
	"strings"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

// orphanBooked reports whether the ledger has the charge of orphan r, as checkout.Orphan.Booked does.
const orphanBooked = "r.failure NOT IN ('" + checkout.ErrAttemptUnknown + "', '" + checkout.ErrSecondCharge + "')"

// moneyPromises are invariants of charges and refunds, and of their entries in the books.
var moneyPromises = []promise{
	entries{
		holds: "the ledger has exactly one sale for each payment, of its amount",
		kind:  "sale",
		many:  "sales",
		rows:  "payments",
		side:  "debit",
		same:  "t.payment_id = r.id AND t.order_id = r.order_id AND t.provider = r.gateway",
		once:  "r.amount > 0",
	}.promise("a sale without its payment"),
	entries{
		holds: "the ledger has exactly one refund for each that succeeded, if only at first, of its amount",
		kind:  "refund",
		many:  "refunds",
		rows:  "refunds",
		side:  "credit",
		same:  "t.refund_id = r.id AND t.payment_id = r.payment_id",
		once:  "r.status = 'succeeded' OR r.reversed_at IS NOT NULL",
	}.promise("a refund that there is not"),
	entries{
		holds: "the ledger takes back exactly the refunds that failed after they had succeeded",
		kind:  "refund_reversal",
		many:  "reversals",
		rows:  "refunds",
		side:  "debit",
		same:  "t.refund_id = r.id AND t.payment_id = r.payment_id",
		once:  "r.status = 'failed' AND r.reversed_at IS NOT NULL",
	}.promise("the reversal of a refund that did not fail"),
	entries{
		holds: "the ledger has the charge of each orphan that is ours to give back",
		kind:  "orphan",
		many:  "charges",
		rows:  "orphan_charges",
		side:  "debit",
		same:  "t.reference = r.charge AND t.provider = r.provider",
		once:  "r.status <> 'failed' AND " + orphanBooked,
		maybe: "r.status = 'failed'", // it may have failed before it was certain that the money is ours
	}.promise("the charge of an orphan that there is not"),
	entries{
		holds: "the ledger has the refund of each orphan that was given back",
		kind:  "orphan_refund",
		many:  "refunds",
		rows:  "orphan_charges",
		side:  "credit",
		same:  "t.reference IN (r.refund, r.charge) AND t.provider = r.provider", // the charge: by earlier releases
		once:  "r.status = 'refunded' AND " + orphanBooked,
		maybe: "r.status = 'failed'", // after it had succeeded
		back:  "orphan_reversal",     // and another refund may have come after it
	}.promise("the refund of an orphan that there is not"),
	{
		holds:   "the ledger has of each dispute what was withdrawn for it and its fee",
		checked: `disputes`,
		broken: `
SELECT b.project AS project, b.dispute AS subject,
  'the ledger and the dispute differ by ' || sum(b.amount) || ' ' || b.currency || ' in ' || b.account AS says
FROM (
  SELECT t.project_id AS project, t.dispute_id AS dispute, l.debit AS account, l.currency, l.amount
  FROM ledger_transactions AS t
  JOIN ledger_postings AS l ON l.project_id = t.project_id AND l.transaction_id = t.id
  WHERE t.kind = 'dispute' AND l.credit = 'funds:' || t.provider
  UNION ALL
  SELECT t.project_id, t.dispute_id, l.credit, l.currency, -l.amount
  FROM ledger_transactions AS t
  JOIN ledger_postings AS l ON l.project_id = t.project_id AND l.transaction_id = t.id
  WHERE t.kind = 'dispute' AND l.debit = 'funds:' || t.provider
  UNION ALL
  SELECT project_id, id, 'disputes', withdrawn_currency, -withdrawn FROM disputes
  UNION ALL
  SELECT project_id, id, 'fees', fee_currency, -fee FROM disputes
) AS b
GROUP BY b.project, b.dispute, b.account, b.currency
HAVING sum(b.amount) <> 0
UNION ALL
SELECT d.project_id, d.id, 'the ledger has ' || count(t.id) || ' of its ' || d.steps || ' steps'
FROM disputes AS d
LEFT JOIN ledger_transactions AS t ON t.project_id = d.project_id AND t.dispute_id = d.id
GROUP BY d.project_id, d.id, d.steps
HAVING count(t.id) <> d.steps
UNION ALL
SELECT d.project_id, d.id, 'it disputes a payment that there is not'
FROM disputes AS d
WHERE NOT EXISTS (
  SELECT 1 FROM payments AS p
  WHERE p.project_id = d.project_id AND p.id = d.payment_id AND p.order_id = d.order_id AND p.gateway = d.gateway
)`,
	},
	{
		holds:   "every posting of the ledger belongs to a transaction, and every transaction is in one currency",
		checked: `ledger_postings`,
		broken: `
SELECT l.project_id AS project, l.transaction_id AS subject, 'postings without their transaction' AS says
FROM ledger_postings AS l
WHERE NOT EXISTS (SELECT 1 FROM ledger_transactions AS t WHERE t.project_id = l.project_id AND t.id = l.transaction_id)
UNION ALL
SELECT t.project_id, t.id, count(l.position) || ' postings in ' || count(DISTINCT l.currency) || ' currencies'
FROM ledger_transactions AS t
LEFT JOIN ledger_postings AS l ON l.project_id = t.project_id AND l.transaction_id = t.id
GROUP BY t.project_id, t.id
HAVING count(DISTINCT l.currency) <> 1`,
	},
	{
		holds:   "what the ledger says that a provider holds of payments is what was taken less what was given back",
		checked: `payments`,
		broken: `
SELECT b.project AS project, b.account || ' in ' || b.currency AS subject, 'the ledger and the payments differ by ' || sum(b.amount) AS says
FROM (
  SELECT project_id AS project, debit AS account, currency, amount
  FROM ledger_postings
  WHERE debit LIKE 'funds:%' AND credit IN ('sales', 'shipping', 'tax', 'refunds')
  UNION ALL
  SELECT project_id, credit, currency, -amount
  FROM ledger_postings
  WHERE credit LIKE 'funds:%' AND debit IN ('sales', 'shipping', 'tax', 'refunds')
  UNION ALL
  SELECT project_id, 'funds:' || gateway, currency, refunded - amount FROM payments
) AS b
GROUP BY b.project, b.account, b.currency
HAVING sum(b.amount) <> 0`,
	},
	{
		holds:   "no more is given back than was taken, and a payment says how much",
		checked: `refunds`,
		broken: `
SELECT p.project_id AS project, p.id AS subject,
  p.refunded || ' refunded and ' || p.refunding || ' to be, of ' || p.amount || '; its refunds say otherwise, or it is too much' AS says
FROM payments AS p
LEFT JOIN refunds AS r ON r.project_id = p.project_id AND r.payment_id = p.id
GROUP BY p.project_id, p.id, p.amount, p.refunded, p.refunding
HAVING p.refunded <> COALESCE(sum(CASE r.status WHEN 'succeeded' THEN r.amount ELSE 0 END), 0)
  OR p.refunding <> COALESCE(sum(CASE r.status WHEN 'pending' THEN r.amount ELSE 0 END), 0)
  OR p.refunded > p.amount
  OR COALESCE(sum(CASE WHEN r.origin = 'requested' AND r.status <> 'failed' THEN r.amount ELSE 0 END), 0) > p.amount
UNION ALL
SELECT r.project_id, r.id, 'it gives back a payment that there is not'
FROM refunds AS r
WHERE NOT EXISTS (SELECT 1 FROM payments AS p WHERE p.project_id = r.project_id AND p.id = r.payment_id AND p.currency = r.currency)
UNION ALL
SELECT r.project_id, r.id, 'it gives back a return that there is not'
FROM refunds AS r
WHERE r.return_id <> ''
  AND NOT EXISTS (SELECT 1 FROM returns AS b WHERE b.project_id = r.project_id AND b.id = r.return_id)`,
	},
	{
		holds:   "what the sandbox provider took belongs to exactly one payment, and a payment to what it took",
		checked: `sandbox_charges WHERE result = 'paid'`,
		broken: `
SELECT s.project_id AS project, s.key AS subject, 'taken without an order: ' || s.amount || ' ' || s.currency AS says
FROM sandbox_charges AS s
WHERE s.result = 'paid'
  AND NOT EXISTS (SELECT 1 FROM payments AS p WHERE p.project_id = s.project_id AND p.gateway = 'sandbox' AND p.provider <> '' AND p.provider = s.id)
  AND NOT EXISTS (
    SELECT 1
    FROM checkouts AS c
    WHERE c.project_id = s.project_id
      AND c.status = 'processing'
      AND s.key = c.id || '-' || c.attempt
  )
  AND s.amount > (
    SELECT COALESCE(sum(b.amount), 0)
    FROM sandbox_refunds AS b
    WHERE b.project_id = s.project_id AND b.charge_id = s.id
  )
UNION ALL
SELECT p.project_id, p.id, 'the provider did not take it'
FROM payments AS p
JOIN orders AS o ON o.project_id = p.project_id AND o.id = p.order_id
LEFT JOIN sandbox_charges AS s ON s.project_id = p.project_id AND s.id = p.provider AND s.result = 'paid'
WHERE p.gateway = 'sandbox'
  AND p.amount > 0
  AND (s.id IS NULL OR s.amount <> p.amount OR s.currency <> p.currency OR s.key NOT LIKE o.checkout_id || '-%')
UNION ALL
SELECT p.project_id, p.provider, 'one charge counts for ' || count(*) || ' payments'
FROM payments AS p
WHERE p.provider <> ''
GROUP BY p.project_id, p.gateway, p.provider
HAVING count(*) > 1`,
	},
	{
		holds:   "what the sandbox provider gave back is a refund of ours, and one that succeeded was given back",
		checked: `sandbox_refunds`,
		broken: `
SELECT b.project_id AS project, b.id AS subject, 'given back, but our refund is ' || COALESCE(r.status || ' of ' || r.amount, 'missing') AS says
FROM sandbox_refunds AS b
LEFT JOIN refunds AS r ON r.project_id = b.project_id AND r.id = b.key
WHERE r.id IS NULL AND EXISTS (SELECT 1 FROM payments AS p WHERE p.project_id = b.project_id AND p.gateway = 'sandbox' AND p.provider <> '' AND p.provider = b.charge_id)
   OR r.status = 'failed'
   OR r.amount <> b.amount
UNION ALL
SELECT r.project_id, r.id, 'the provider did not give it back'
FROM refunds AS r
JOIN payments AS p ON p.project_id = r.project_id AND p.id = r.payment_id AND p.gateway = 'sandbox'
WHERE r.status = 'succeeded'
  AND NOT EXISTS (
    SELECT 1
    FROM sandbox_refunds AS b
    WHERE b.project_id = r.project_id AND b.key = r.id AND b.charge_id = p.provider AND b.amount = r.amount
  )`,
	},
}

// entries is the invariant that rows have their transactions in the ledger.
type entries struct {
	holds string
	kind  string // of the transaction
	many  string // what several of them are called
	rows  string // the table of the rows, with an amount and a currency each
	same  string // whether transaction t is of row r
	side  string // of the postings on which the provider's funds are
	once  string // whether the ledger has row r, which it then has once
	maybe string // where it may have row r or not
	back  string // the kind of transactions that take one back, by which it needs no row
}

func (b entries) promise(stray string) promise {
	where := ""
	if b.maybe != "" {
		where = "\nWHERE NOT (" + b.maybe + ")"
	}
	return promise{
		holds:   b.holds,
		checked: "ledger_transactions WHERE kind = '" + b.kind + "'",
		broken: strings.NewReplacer("{back}", b.back, "{kind}", b.kind, "{many}", b.many, "{rows}", b.rows, "{same}", b.same, "{side}", b.side,
			"{once}", b.once, "{where}", where, "{stray}", stray).Replace(enteredOnce),
	}
}

const enteredOnce = `
SELECT r.project_id AS project, r.id AS subject,
  'the ledger has ' || count(DISTINCT t.id) || ' {many} of ' || COALESCE(sum(l.amount), 0) || ' for ' || r.amount || ' ' || r.currency AS says
FROM {rows} AS r
LEFT JOIN ledger_transactions AS t ON t.project_id = r.project_id AND {same} AND t.kind = '{kind}'
LEFT JOIN ledger_postings AS l
  ON l.project_id = t.project_id
  AND l.transaction_id = t.id
  AND l.{side} = 'funds:' || t.provider
  AND l.currency = r.currency{where}
GROUP BY r.project_id, r.id
HAVING count(DISTINCT t.id) <> CASE WHEN {once} THEN 1 ELSE 0 END
  OR COALESCE(sum(l.amount), 0) <> CASE WHEN {once} THEN r.amount ELSE 0 END
UNION ALL
SELECT t.project_id, t.id, '{stray}'
FROM ledger_transactions AS t
WHERE t.kind = '{kind}'
  AND NOT EXISTS (SELECT 1 FROM {rows} AS r WHERE r.project_id = t.project_id AND {same})
  AND NOT EXISTS (
    SELECT 1 FROM ledger_transactions AS b
    WHERE b.project_id = t.project_id AND b.kind = '{back}' AND b.provider = t.provider AND b.reference = t.reference
  )`
