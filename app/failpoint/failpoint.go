// Package failpoint names the places of finalize, delivery and synchronisation at which a test may make the program
// fail. It does nothing, whatever the environment says, unless the linker enabled it:
//
//	go build -ldflags "-X github.com/haggle-commerce/haggle/app/failpoint.enabled=yes" ./cmd/haggle
//
// A linker's setting, and no build tag, so that the tests' programs need no package compiled a second time.
//
// FAULT_POINT is name=action[:n], several with commas: at the nth time that the point is passed, the
// first without n, the program kills itself (kill), blocks (hang), or the point returns an error
// (error). A point inside a transaction's function must return its error, so that the transaction
// rolls back.
//
// FAULT_CLOCK moves the process's wall clock, by +6m or -60s for example.
package failpoint

// Point is a place in the program.
type Point string

// The points of a finalize, in the order in which a paid one passes them.
const (
	BeforeClaim     Point = "finalize.before_claim"
	Claimed         Point = "finalize.claimed"         // in the transaction, with everything locked, before COMMIT
	ClaimCommitted  Point = "finalize.claim_committed" // the stock is taken
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
	Resolved Point = "reconcile.resolved" // the provider has told the outcome, nothing is recorded
)

// The points of a refund.
const (
	RefundRequested Point = "refund.requested" // the request is committed
	RefundSent      Point = "refund.sent"      // the provider has answered, nothing is recorded
	RefundRecorded  Point = "refund.recorded"  // in the transaction, before its COMMIT
)

// The points of an event on its way to its receivers.
const (
	OutboxClaimed    Point = "outbox.claimed"
	OutboxFannedOut  Point = "outbox.fanned_out" // in the transaction, before its COMMIT
	DeliveryClaimed  Point = "delivery.claimed"
	DeliverySent     Point = "delivery.sent"     // the receiver has answered, nothing is recorded
	DeliveryRecorded Point = "delivery.recorded" // the outcome is committed
)

// The points of a sync run, page by page, and of what comes to a webhook.
const (
	PageRead      Point = "sync.page_read"      // the platform has answered, nothing is taken
	PageTaken     Point = "sync.page_taken"     // in the transaction, before its COMMIT
	PageCommitted Point = "sync.page_committed" // the run has advanced
	HookKept      Point = "webhook.kept"        // the delivery is committed, the platform is not answered
	HookTaken     Point = "webhook.taken"       // in the transaction, before its COMMIT
	HookWorked    Point = "webhook.worked"      // the outcome is committed
)

// The points of an order on its way to the platform that its goods come from.
const (
	OrderNotFound Point = "writeback.not_found" // the platform does not have it yet
	OrderAsked    Point = "writeback.asked"     // it is recorded that the platform is asked to create it, which it is not yet
	OrderWritten  Point = "writeback.written"   // the platform has it, nothing is recorded
	OrderRecorded Point = "writeback.recorded"  // it is recorded, our stock does not follow yet
	OrderTold     Point = "writeback.told"      // the platform was told what happened to it, nothing is recorded
	OrderRead     Point = "writeback.read"      // the platform has told what happened to it there, nothing is recorded
	OrderFollowed Point = "writeback.followed"  // in the transaction that does here what was done there, before its COMMIT
)

// The points of an order on its way to a CRM.
const (
	DealWritten  Point = "crm.written"  // the CRM has the deal, nothing is recorded
	DealRecorded Point = "crm.recorded" // it is recorded
)

// All are the points there are.
var All = []Point{
	BeforeClaim, Claimed, ClaimCommitted, BeforeCharge, Charged, BeforeRecord, Recorded, RecordCommitted, BeforeAnswer,
	Adopted, Resolved,
	RefundRequested, RefundSent, RefundRecorded,
	OutboxClaimed, OutboxFannedOut, DeliveryClaimed, DeliverySent, DeliveryRecorded,
	PageRead, PageTaken, PageCommitted, HookKept, HookTaken, HookWorked,
	OrderNotFound, OrderAsked, OrderWritten, OrderRecorded, OrderTold, OrderRead, OrderFollowed,
	DealWritten, DealRecorded,
}
