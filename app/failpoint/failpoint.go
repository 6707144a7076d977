// Package failpoint names the places in finalize, delivery and synchronisation where a test can make the program
// fail. It ignores the environment and does nothing unless the linker enabled it:
//
//	go build -ldflags "-X github.com/haggle-commerce/haggle/app/failpoint.enabled=yes" ./cmd/haggle
//
// This is a linker setting, not a build tag, so that building the tests' programs does not compile packages a second time.
//
// FAULT_POINT is a comma-separated list of name=action[:n]. The nth time the point is reached (default 1), the program
// kills itself (kill), blocks (hang), or the point returns an error (error). A caller inside a transaction must return
// that error, so that the transaction rolls back.
//
// FAULT_CLOCK shifts the process's wall clock, for example by +6m or -60s.
package failpoint

// Point is a place in the program.
type Point string

// The points of a finalize, in the order in which a paid one passes them.
const (
	BeforeClaim     Point = "finalize.before_claim"
	Claimed         Point = "finalize.claimed"         // in the transaction, with everything locked, before COMMIT
	ClaimCommitted  Point = "finalize.claim_committed" // the stock is reserved
	BeforeCharge    Point = "finalize.before_charge"
	Charged         Point = "finalize.charged" // the provider has answered, nothing is recorded
	BeforeRecord    Point = "finalize.before_record"
	Recorded        Point = "finalize.recorded" // in the transaction, with the checkout locked, before COMMIT
	RecordCommitted Point = "finalize.record_committed"
	BeforeAnswer    Point = "finalize.before_answer"
)

// The points of the reconciler.
const (
	Adopted  Point = "reconcile.adopted"  // it holds the lease of the attempt
	Resolved Point = "reconcile.resolved" // the provider has returned the outcome, nothing is recorded
)

// The points of a refund.
const (
	RefundRequested Point = "refund.requested" // the request is committed
	RefundSent      Point = "refund.sent"      // the provider has answered, nothing is recorded
	RefundRecorded  Point = "refund.recorded"  // in the transaction, before its COMMIT
)

// The points of an event's delivery to its receivers.
const (
	OutboxClaimed    Point = "outbox.claimed"
	OutboxFannedOut  Point = "outbox.fanned_out" // in the transaction, before its COMMIT
	DeliveryClaimed  Point = "delivery.claimed"
	DeliverySent     Point = "delivery.sent"     // the receiver has answered, nothing is recorded
	DeliveryRecorded Point = "delivery.recorded" // the outcome is committed
)

// The points of a sync run, page by page, and of incoming webhook deliveries.
const (
	PageRead      Point = "sync.page_read"      // the platform has answered, nothing is imported
	PageTaken     Point = "sync.page_taken"     // in the transaction, before its COMMIT
	PageCommitted Point = "sync.page_committed" // the run has advanced
	HookKept      Point = "webhook.kept"        // the delivery is committed, the platform has no response yet
	HookTaken     Point = "webhook.taken"       // in the transaction, before its COMMIT
	HookWorked    Point = "webhook.worked"      // the outcome is committed
)

// The points of writing an order to the platform that its goods come from.
const (
	OrderNotFound Point = "writeback.not_found" // the platform does not have it yet
	OrderAsked    Point = "writeback.asked"     // the intent to create it is recorded, the platform has no request yet
	OrderWritten  Point = "writeback.written"   // the platform has it, nothing is recorded
	OrderRecorded Point = "writeback.recorded"  // it is recorded, our stock is not adjusted yet
	OrderUpdated  Point = "writeback.told"      // the platform has received the changes made here, nothing is recorded
	OrderRead     Point = "writeback.read"      // the platform has returned the changes made there, nothing is recorded
	OrderFollowed Point = "writeback.followed"  // in the transaction that applies those changes here, before its COMMIT
)

// The points of writing an order to a CRM.
const (
	DealWritten  Point = "crm.written"  // the CRM has the deal, nothing is recorded
	DealRecorded Point = "crm.recorded" // it is recorded
)

// All lists every point.
var All = []Point{
	BeforeClaim, Claimed, ClaimCommitted, BeforeCharge, Charged, BeforeRecord, Recorded, RecordCommitted, BeforeAnswer,
	Adopted, Resolved,
	RefundRequested, RefundSent, RefundRecorded,
	OutboxClaimed, OutboxFannedOut, DeliveryClaimed, DeliverySent, DeliveryRecorded,
	PageRead, PageTaken, PageCommitted, HookKept, HookTaken, HookWorked,
	OrderNotFound, OrderAsked, OrderWritten, OrderRecorded, OrderUpdated, OrderRead, OrderFollowed,
	DealWritten, DealRecorded,
}
