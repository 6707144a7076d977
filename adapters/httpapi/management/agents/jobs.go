package agents

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/ports"
)

const allJobs = "/v1/jobs"

func (h *handlers) registerJobs() {
	const one = allJobs + "/{job_id}"
	g := h.Group("Jobs", "agents", operation.HeaderProject)
	// A caller with the catalog scopes sees and cancels imports, but no jobs of agents.
	read, write := operation.OrScope("catalog:read"), operation.OrScope("catalog:write")
	operation.Register(g, "list-jobs", "GET "+allJobs, "List jobs, newest first", operation.HandleList(h.listJobs, toAPIJob), read)
	operation.Register(g, "get-job", "GET "+one, "Get a job with its progress and its result", wire.HandleOne(h.getJob, toAPIJob), read)
	operation.Register(g, "cancel-job", "POST "+one+"/cancel", "Cancel a job; a running one stops within about a second",
		operation.HandleUpdate(h.cancelJob, toAPIJob), operation.Errors(409), write)
}

// JobView is a job as merchants read it.
type JobView struct {
	ID         string                 `json:"id" example:"job_01h2xcejqtf2nbrexx3vqjhp41"`
	Kind       string                 `json:"kind" enum:"market,import"`
	Status     string                 `json:"status" enum:"queued,running,succeeded,failed,canceled" doc:"queued and running change to one of the others, which are final. A job is kept for 30 days after its end; at most 200 jobs are kept."`
	Agent      string                 `json:"agent_id" doc:"The agent that the job was started for. Empty: it is an import."`
	Progress   jobProgress            `json:"progress"`
	CreatedAt  wire.Time              `json:"created_at"`
	StartedAt  *wire.Time             `json:"started_at" nullable:"true" doc:"Null: not started."`
	FinishedAt *wire.Time             `json:"finished_at" nullable:"true" doc:"Null: not finished."`
	Error      nullable[jobError]     `json:"error" doc:"The reason of the failure; otherwise null."`
	Request    marketRequest          `json:"request" doc:"The request of a market simulation. Not used by an import."`
	Result     nullable[marketResult] `json:"result" doc:"The result of a market simulation. Null for an import, and until the job has succeeded."`
	Import     nullable[importView]   `json:"import" doc:"The result of an import; otherwise null."`
}

type jobProgress struct {
	Done  int `json:"done" doc:"Negotiations of a simulation, or bytes of a file, processed so far; updated about once a second. If the server stops, a simulation starts again and an import continues."`
	Total int `json:"total" doc:"0: not known yet."`
}

type jobError struct {
	Code    string `json:"code" example:"job_interrupted"`
	Message string `json:"message"`
}

func toAPIJob(j *job.Job) JobView {
	v := JobView{
		ID:         j.ID.String(),
		Kind:       j.Kind.String(),
		Status:     j.Status.String(),
		Progress:   jobProgress{j.Done, j.Total},
		CreatedAt:  wire.ToTime(j.CreatedAt),
		StartedAt:  wire.ToKnownTime(j.StartedAt),
		FinishedAt: wire.ToKnownTime(j.FinishedAt),
	}
	if j.Status == job.Failed {
		v.Error.object = &jobError{j.Code, j.Reason}
	}
	if j.Request.Market != nil {
		v.Agent = j.Agent.String()
		v.Request, v.Result.object = toAPIMarketRequest(j.Request.Market, j.Currency), toAPIMarketResult(j)
	}
	if j.Request.Import != nil {
		v.Request.Products = []string{}
		v.Import.object = toAPIImport(j)
	}
	return v
}

type listJobsInput struct {
	operation.Paging
	Kind  string             `query:"kind" enum:"market,import"`
	Agent wire.Ref[id.Agent] `query:"agent_id"`
}

// seesAgents reports whether the caller has the agents scope, and not only the catalog scope.
func seesAgents(rq operation.Request, scope string) bool {
	return rq.Caller.Key.Allows("agents:" + scope)
}

func (h *handlers) listJobs(ctx context.Context, rq operation.Request, in *listJobsInput) ([]*job.Job, int, error) {
	f := ports.JobFilter{Kind: job.Kinds[in.Kind], Agent: in.Agent.ID}
	if !seesAgents(rq, "read") {
		if f.Kind == job.Market {
			return nil, 0, nil
		}
		f.Kind = job.Import
	}
	return rq.Stores.Jobs.List(ctx, rq.Caller.Project.ID, f, in.Page())
}

type onJob struct {
	Job wire.Ref[id.Job] `path:"job_id"`
}

func (h *handlers) getJob(ctx context.Context, rq operation.Request, in *onJob) (*job.Job, error) {
	return find(ctx, rq, in.Job.ID, "read")
}

// find finds a job that the caller may see.
func find(ctx context.Context, rq operation.Request, wanted id.Job, scope string) (*job.Job, error) {
	j, err := rq.Stores.Jobs.ByID(ctx, rq.Caller.Project.ID, wanted)
	if err == nil && j.Kind == job.Market && !seesAgents(rq, scope) {
		err = fault.Missing("job")
	}
	return j, err
}

func (h *handlers) cancelJob(ctx context.Context, rq operation.Request, in *onJob) (before, after *job.Job, err error) {
	if _, err := find(ctx, rq, in.Job.ID, "write"); err != nil {
		return nil, nil, err
	}
	return h.Markets.In(rq.Stores).Cancel(ctx, rq.Caller.Project.ID, in.Job.ID)
}
