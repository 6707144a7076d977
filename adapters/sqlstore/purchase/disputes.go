package purchase

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/order"
)

var (
	disputes = db.NewTable[order.Dispute]("disputes", db.Columns{
		"Withdrawn": ",currency=withdrawn_currency",
		"Fee":       ",currency=fee_currency",
		"Reported":  "reported_at",
	})

	disputesOfOrder = disputes.Select() + `
WHERE project_id = $1
  AND order_id = $2
ORDER BY created_at, id`

	DisputesOfPayment = disputes.Select() + `
WHERE project_id = $1
  AND payment_id = $2
ORDER BY created_at, id`

	upsertDispute = disputes.Insert() + `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("status", "reason", "currency", "amount", "withdrawn_currency", "withdrawn", "fee_currency", "fee", "steps",
		"reported_at", "updated_at")
)
