// Package job is work that takes too long for one request: it is asked for, done in the background, and read when it
// is done. What each kind computes is its own affair.
//
//	(none) ── New ──> queued ── Begin ──> running ── Succeed ──> succeeded
//	                    ▲ │                 │ │ │
//	                    │ └─── Cancel ──────┼─┼─┴──> canceled
//	                    └───── Release ─────┘ └─ Fail ──> failed
//
// A job whose worker is gone is still running by its state. Whoever takes it up begins it again (Begin), at most
// MostAttempts times. The result of a market follows from the request alone; an import goes on after the products that
// an earlier attempt has stored (Advance).
package job

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

const (
	// MostUnfinished are the jobs of a project that wait or run at one time.
	MostUnfinished = 2
	// MostKept are the finished jobs of a project that are kept, and Kept is how long.
	MostKept = 200
	Kept     = 30 * 24 * time.Hour
	// MostAttempts are how often a job is begun whose workers end without a word.
	MostAttempts = 3
)

// Kind of a job.
type Kind struct{ name string }

// Market lets simulated buyers meet two policies.
var Market = Kind{"market"}

func (k Kind) String() string { return k.name }

// Kinds are all of them by name.
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

// Statuses are all of them by name.
var Statuses = map[string]Status{
	"queued": Queued, "running": Running, "succeeded": Succeeded, "failed": Failed, "canceled": Canceled,
}

// Job is one piece of work.
type Job struct {
	ID       id.Job
	Project  id.Project
	Agent    id.Agent // zero: it is not about one
	Kind     Kind
	Status   Status
	Currency money.Currency // of the amounts of the result
	Request  Request
	Result   Result // of a market empty until the job has succeeded

	Done     int // of Total, in units of the kind; zero until it is known
	Total    int
	Attempts int    // how often it was begun
	Code     string // why it failed
	Reason   string // the same in words for the merchant

	CreatedAt  time.Time
	StartedAt  time.Time // zero: it has not begun
	FinishedAt time.Time // zero: it is not finished
	DueAt      time.Time // when it is to be worked on: what is in hand is due when its lease ends
}

// Request is what is asked for: the field of the job's kind.
type Request struct {
	Market *MarketRequest
	Import *ImportRequest
}

// Result is what was found: the field of the job's kind.
type Result struct {
	Market *MarketResult
	Import *ImportResult
}

var (
	errFinished = fault.New(fault.Conflict, "job_finished", "The job is finished.")
	// ErrTooMany refuses a job of a project that has MostUnfinished unfinished ones.
	ErrTooMany = fault.New(fault.Conflict, "too_many_jobs", "The project has 2 jobs that are not finished. Wait for one, or cancel it.")
)

// NewMarket asks for a market run.
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

// Finished reports whether nothing follows.
func (j *Job) Finished() bool { return j.Status != Queued && j.Status != Running }

// Begin begins the job, or begins it again. One that was begun MostAttempts times fails instead.
func (j *Job) Begin(now time.Time) error {
	if j.Finished() {
		return errFinished
	}
	if j.Attempts >= MostAttempts {
		return j.Fail("job_interrupted", "The job was begun three times and did not come to an end. Start it again.", now)
	}
	j.Attempts++
	j.Status, j.Done = Running, 0
	if j.StartedAt.IsZero() {
		j.StartedAt = now
	}
	return nil
}

// Release puts a running job back, as if it had not been begun: its worker stops in good order.
func (j *Job) Release(now time.Time) error {
	if j.Status != Running {
		return errFinished
	}
	j.Status, j.Done, j.DueAt = Queued, 0, now
	j.Attempts--
	return nil
}

// Succeed records what was found, and that all of total is done.
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

// Cancel ends the job without a result. One that is running stops within about a second.
func (j *Job) Cancel(now time.Time) error {
	if j.Finished() {
		return errFinished
	}
	j.finish(Canceled, now)
	return nil
}

func (j *Job) finish(as Status, now time.Time) { j.Status, j.FinishedAt = as, now }
