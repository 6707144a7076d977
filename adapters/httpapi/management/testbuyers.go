package management

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/ports"
)

// registerTestBuyers adds the operations in the sandbox only.
func (h *handlers) registerTestBuyers() {
	if h.TestBuyers == nil {
		return
	}
	g := h.Group("Sandbox", "agents", operation.HeaderProject)
	operation.Register(g, "get-test-buyers", "GET /v1/sandbox/buyers", "Check whether test buyers are available and running", h.getTestBuyers)
	operation.RegisterClaimed(g, "send-test-buyers", "POST /v1/sandbox/buyers", "Run simulated buyers that search, negotiate and pay in the shop; one run at a time on a server", h.sendTestBuyers,
		operation.Accepted, operation.Errors(409))
}

type testBuyersView struct {
	Available bool `json:"available" doc:"False: haggle-sim is neither beside the server nor named by HAGGLE_SIMULATOR."`
	Running   bool `json:"running" doc:"Whether a run is active on the replica that responds."`
}

type testBuyersOutput struct{ Body testBuyersView }

func (h *handlers) getTestBuyers(context.Context, operation.Request, *struct{}) (*testBuyersOutput, error) {
	return h.testBuyers(), nil
}

func (h *handlers) testBuyers() *testBuyersOutput {
	out := &testBuyersOutput{}
	out.Body.Available, out.Body.Running = h.TestBuyers.State()
	return out
}

// fewTestBuyers is the default number of test buyers.
const fewTestBuyers = 20

type testBuyersRequest struct {
	Count *int `json:"count,omitempty" nullable:"true" minimum:"1" maximum:"50" doc:"Default: 20. The run has two minutes."`
}

func (h *handlers) sendTestBuyers(_ ports.Outbound, rq operation.Request, in *wire.Input[testBuyersRequest]) (made operation.Plan[testBuyersOutput], err error) {
	count := fewTestBuyers
	if in.Body.Count != nil {
		count = *in.Body.Count
	}
	if err := h.TestBuyers.Send(rq.Caller.Project.Slug, count); err != nil {
		return made, err
	}
	made.Commit = func(context.Context, *ports.Stores) (*testBuyersOutput, error) { return h.testBuyers(), nil }
	made.Discard = h.TestBuyers.Stop
	return made, nil
}
