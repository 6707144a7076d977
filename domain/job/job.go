// Package job defines work that takes too long for one request: a client requests it, a worker does it in the
// background, and the client reads the result. The package does not compute results.
//
//	(none) ── New ──> queued ── Begin ──> running ── Succeed ──> succeeded
//	                    ▲ │                 │ │ │
//	                    │ └─── Cancel ──────┼─┼─┴──> canceled
//	                    └───── Release ─────┘ └─ Fail ──> failed
//
// A job whose worker has died still has the status running. The next worker begins it again (Begin), at most
// MostAttempts times in all. The result of a market depends on the request alone. An import continues after the
// products that an earlier attempt has stored (Advance).
package job

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

const (
	// MostUnfinished is the largest number of a project's jobs that wait or run.
	MostUnfinished = 2
	// MostKept is how many finished jobs of a project are kept, and Kept is for how long.
	MostKept = 200
	Kept     = 30 * 24 * time.Hour
	// MostAttempts is how often a job is begun if its workers die.
	MostAttempts = 3
)

// Kind of a job.
type Kind struct{ name string }

// Market is a simulation of buyers who negotiate under two policies.
var Market = Kind{"market"}

func (k Kind) String() string { return k.name }

// Kinds are all kinds by name.
var Kinds = map[string]Kind{"market": Market, "import": Import}

// Status of a job.
type Status struct{ name string }

var (
	Queued    = Status{"queued"}
	Running   = Status{"running"}
	Succeeded = Status{"succeeded"}
	Failed    = Status{"failed"}
	Canceled  = Status{"canceled"}
)

func (s Status) String() string { return s.name }

// Statuses are all statuses by name.
var Statuses = map[string]Status{
	"queued": Queued, "running": Running, "succeeded": Succeeded, "failed": Failed, "canceled": Canceled,
}

// Job is one piece of work.
type Job struct {
	ID       id.Job
	Project  id.Project
	Agent    id.Agent // zero: not about an agent
	Kind     Kind
	Status   Status
	Currency money.Currency // of the amounts of the result
	Request  Request
	Result   Result // of a market: empty until the job has succeeded

	Done     int // of Total, in units of the kind; zero until it is known
	Total    int
	Attempts int    // how often it was begun
	Code     string // why it failed
	Reason   string // the same in words for the merchant

	CreatedAt  time.Time
	StartedAt  time.Time // zero: it has not begun
	FinishedAt time.Time // zero: it is not finished
	DueAt      time.Time // when a worker may begin it; of a running job, the end of its lease
}

// Request has the parameters of the job, in the field of its kind.
type Request struct {
	Market *MarketRequest
	Import *ImportRequest
}

// Result has the result of the job, in the field of its kind.
type Result struct {
	Market *MarketResult
	Import *ImportResult
}

var (
	errFinished = fault.New(fault.Conflict, "job_finished", "The job is finished.")
	// ErrTooMany refuses a job of a project that has MostUnfinished unfinished ones.
	ErrTooMany = fault.New(fault.Conflict, "too_many_jobs", "The project has 2 unfinished jobs. Wait for one, or cancel it.")
)

// NewMarket returns a queued market job.
func NewMarket(name id.Job, of id.Project, a id.Agent, r MarketRequest, c money.Currency, now time.Time) *Job {
	return &Job{
		ID:        name,
		Project:   of,
		Agent:     a,
		Kind:      Market,
		Status:    Queued,
		Currency:  c,
		Request:   Request{Market: &r},
		CreatedAt: now,
		DueAt:     now,
	}
}

// Finished reports whether the job has ended.
func (j *Job) Finished() bool { return j.Status != Queued && j.Status != Running }

// Begin begins the job, or begins it again. A job that was begun MostAttempts times fails instead.
func (j *Job) Begin(now time.Time) error {
	if j.Finished() {
		return errFinished
	}
	if j.Attempts >= MostAttempts {
		return j.Fail("job_interrupted", "The job was started three times without finishing. Start it again.", now)
	}
	j.Attempts++
	j.Status, j.Done = Running, 0
	if j.StartedAt.IsZero() {
		j.StartedAt = now
	}
	return nil
}

// Release returns a running job to the queue as if it had not been begun, because its worker is shutting down.
func (j *Job) Release(now time.Time) error {
	if j.Status != Running {
		return errFinished
	}
	j.Status, j.Done, j.DueAt = Queued, 0, now
	j.Attempts--
	return nil
}

// Succeed records the result, and total as both done and total.
func (j *Job) Succeed(r Result, total int, now time.Time) error {
	if j.Status != Running {
		return errFinished
	}
	j.Result, j.Done, j.Total = r, total, total
	j.finish(Succeeded, now)
	return nil
}

// Fail records why there is no result.
func (j *Job) Fail(code, reason string, now time.Time) error {
	if j.Finished() {
		return errFinished
	}
	j.Code, j.Reason = code, reason
	j.finish(Failed, now)
	return nil
}

// Cancel ends the job without a result. A running worker stops within about a second.
func (j *Job) Cancel(now time.Time) error {
	if j.Finished() {
		return errFinished
	}
	j.finish(Canceled, now)
	return nil
}

func (j *Job) finish(as Status, now time.Time) { j.Status, j.FinishedAt = as, now }
