package job_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/money"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func in(s job.Status) *job.Job {
	j := job.NewMarket(id.Job{}, id.Project{}, id.Agent{}, job.MarketRequest{Buyers: 50}, money.USD, noon)
	j.Total, j.Status = 10, s
	if s == job.Running {
		j.Attempts = 1
	}
	return j
}

// Every status and every verb. Refused verbs return job_finished and change nothing.
func TestJob(t *testing.T) {
	t.Parallel()
	later, found := noon.Add(time.Minute), job.Result{Market: &job.MarketResult{}}
	verbs := map[string]func(*job.Job) error{
		"begin":   func(j *job.Job) error { return j.Begin(later) },
		"release": func(j *job.Job) error { return j.Release(later) },
		"succeed": func(j *job.Job) error { return j.Succeed(found, 10, later) },
		"fail":    func(j *job.Job) error { return j.Fail("code", "Why.", later) },
		"cancel":  func(j *job.Job) error { return j.Cancel(later) },
	}
	next := map[job.Status]map[string]job.Status{
		job.Queued:    {"begin": job.Running, "fail": job.Failed, "cancel": job.Canceled},
		job.Running:   {"begin": job.Running, "release": job.Queued, "succeed": job.Succeeded, "fail": job.Failed, "cancel": job.Canceled},
		job.Succeeded: {},
		job.Failed:    {},
		job.Canceled:  {},
	}
	for status, of := range next {
		for verb, do := range verbs {
			j := in(status)
			was := *j
			err := do(j)
			want, allowed := of[verb]
			switch {
			case !allowed && (!fault.Is(err, "job_finished") || *j != was):
				t.Errorf("%s %s: %v, %+v", status, verb, err, j)
			case allowed && (err != nil || j.Status != want || j.Finished() != !j.FinishedAt.IsZero()):
				t.Errorf("%s %s: %v, %+v, want %s", status, verb, err, j, want)
			}
		}
	}
}

// Progress is recorded only while the attempt has the job.
func TestJob_Advance(t *testing.T) {
	t.Parallel()
	so := job.Result{Import: &job.ImportResult{Read: 500, Created: 500}}
	for status, want := range map[job.Status]bool{job.Queued: false, job.Running: true, job.Succeeded: false, job.Failed: false, job.Canceled: false} {
		j := in(status)
		j.Attempts = 2
		if err := j.Advance(2, so); (err == nil) != want || (j.Result == so) != want || err != nil && !fault.Is(err, "job_taken") {
			t.Errorf("%s: %v, %+v", status, err, j.Result)
		}
	}
	j := in(job.Running)
	j.Attempts = 2
	if err := j.Advance(1, so); !fault.Is(err, "job_taken") || j.Result != (job.Result{}) {
		t.Errorf("of an earlier attempt: %v, %+v", err, j.Result)
	}
}

// A job whose workers die is begun three times, and then fails.
func TestJob_beginsAgain(t *testing.T) {
	t.Parallel()
	j := in(job.Queued)
	for n := 1; n <= job.MostAttempts; n++ {
		j.Done = 7
		if err := j.Begin(noon.Add(time.Duration(n) * time.Hour)); err != nil || j.Status != job.Running || j.Attempts != n || j.Done != 0 {
			t.Fatalf("%v, %+v", err, j)
		}
	}
	if !j.StartedAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("started at %s", j.StartedAt)
	}
	if err := j.Begin(noon.Add(9 * time.Hour)); err != nil || j.Status != job.Failed || j.Code != "job_interrupted" || j.Reason == "" {
		t.Errorf("%v, %+v", err, j)
	}
}

// A graceful shutdown of the server does not count as an attempt.
func TestJob_Release(t *testing.T) {
	t.Parallel()
	j := in(job.Queued)
	for range 5 * job.MostAttempts {
		if err := j.Begin(noon); err != nil || j.Status != job.Running {
			t.Fatalf("%v, %+v", err, j)
		}
		if err := j.Release(noon.Add(time.Hour)); err != nil || !j.DueAt.Equal(noon.Add(time.Hour)) {
			t.Fatalf("%v, %+v", err, j)
		}
	}
}

func TestMarketRequest_Check(t *testing.T) {
	t.Parallel()
	one, two := id.New[id.Product]([16]byte{1}), id.New[id.Product]([16]byte{2})
	for field, r := range map[string]job.MarketRequest{
		"":            {Buyers: 50, Products: []id.Product{one, two}, Seed: job.MostSeed},
		"buyers":      {Buyers: 49},
		"product_ids": {Buyers: 5_000, Products: make([]id.Product, 11)},
		"seed":        {Buyers: 5_000, Seed: job.MostSeed + 1},
	} {
		if got := refused(r); got != field {
			t.Errorf("%+v: %q is refused, want %q", r, got, field)
		}
	}
	if got := refused(job.MarketRequest{Buyers: 5_001}); got != "buyers" {
		t.Errorf("5,001 buyers: %q", got)
	}
	if got := refused(job.MarketRequest{Buyers: 50, Products: []id.Product{one, one}}); got != "product_ids" {
		t.Errorf("a product twice: %q", got)
	}
}

// refused returns the only field that is refused.
func refused(r job.MarketRequest) string {
	check := fault.NewCheck()
	r.Check(check)
	var f *fault.Error
	if err := check.Err(); err == nil {
		return ""
	} else if f, _ = err.(*fault.Error); len(f.Details) != 1 {
		return "many"
	}
	return f.Details[0].Field
}
