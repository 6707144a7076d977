package shopify

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// job is the asynchronous part of a mutation: cancelling an order.
type job struct {
	id, order int
	due       time.Time
	done      bool
	errors    []object
	work      func(*userErrors)
}

const jobBase = 19_000_000_001

// schedule runs work at the job's time: "Order cancellations run asynchronously" (changelog 2026-10-01). Shopify does not
// document how long a job takes; here it takes Config.ShopifyJobTime. The caller must hold the shop's lock.
func (s *Platform) schedule(order int, work func(*userErrors)) *job {
	takes := s.Host.Config.ShopifyJobTime
	j := &job{
		id:    jobBase + len(s.orders.jobs),
		order: order,
		due:   s.Host.Config.Now().Add(takes),
		work:  work,
	}
	s.orders.jobs = append(s.orders.jobs, j)
	if takes <= 0 {
		j.run()
		return j
	}
	s.Host.Calls.Go(func() {
		select {
		case <-time.After(takes):
			s.runDueJobs()
		case <-s.Host.Stop.Done():
		}
	})
	return j
}

func (j *job) run() {
	to := &userErrors{of: "OrderCancelUserError"}
	j.work(to)
	j.done, j.errors = true, to.list
}

// runDueJobs runs the jobs that are due.
func (s *Platform) runDueJobs() {
	now := s.Host.Config.Now()
	waiting := func(j *job) bool { return !j.done && !j.due.After(now) }
	due := false
	s.Read(func(*host.World) { due = slices.ContainsFunc(s.orders.jobs, waiting) })
	if !due {
		return
	}
	s.Write(func(*host.World) {
		for _, j := range s.orders.jobs {
			if waiting(j) {
				j.run()
			}
		}
	})
}

func (s *Platform) job(id string) any {
	number, is := numberOf(id, "Job")
	if n := number - jobBase; is && n >= 0 && n < len(s.orders.jobs) {
		return s.orders.jobs[n].show()
	}
	return nil
}

func (j *job) show() object {
	return facts{"Job", map[string]any{"id": gid("Job", j.id), "done": j.done}}
}

// result returns the job as orderCancel shows it since 2026-10.
func (s *Platform) result(j *job, done bool) object {
	status := "STARTED"
	switch {
	case done && len(j.errors) > 0:
		status = "FAILED"
	case done:
		status = "SUCCEEDED"
	}
	values := map[string]any{"id": gid("OrderCancelJobResult", j.id), "done": done, "status": status, "errors": []object{}, "order": s.order(j.order)}
	if done {
		values["errors"] = append([]object{}, j.errors...)
	}
	return facts{"OrderCancelJobResult", values}
}
