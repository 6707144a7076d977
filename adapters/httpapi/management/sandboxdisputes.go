package management

import (
	"cmp"
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/finance"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// registerSandboxDisputes adds the operation in the sandbox only, because elsewhere buyers are real.
func (h *handlers) registerSandboxDisputes() {
	if h.SandboxDisputes == nil {
		return
	}
	g := h.Group("Sandbox", "finance", operation.HeaderProject)
	operation.RegisterClaimed(g, "open-sandbox-dispute", "POST /v1/sandbox/disputes", "Dispute a sandbox payment as its buyer, once. The note winning_evidence or losing_evidence in a response decides the dispute",
		h.openSandboxDispute, operation.Created, operation.Errors(409))
}

type sandboxDisputeRequest struct {
	Payment string                      `json:"payment_id"`
	Reason  string                      `json:"reason,omitempty" example:"product_not_received" doc:"Default: fraudulent."`
	Amount  wire.Optional[wire.Decimal] `json:"amount,omitzero" doc:"Omitted or null: the whole payment."`
}

func (h *handlers) openSandboxDispute(ctx ports.Outbound, rq operation.Request, in *wire.Input[sandboxDisputeRequest]) (made operation.Plan[wire.Output[finance.DisputeView]], err error) {
	of, err := wire.ID[id.Payment](in.Body.Payment, "payment")
	if err != nil {
		return made, err
	}
	payment, err := rq.Stores.Payments.PaymentByID(ctx, rq.Caller.Project.ID, of)
	if err != nil {
		return made, err
	}
	if payment.Route.Provider != project.SandboxProvider {
		return made, fault.New(fault.Conflict, "not_of_the_sandbox", "The payment was not made with the sandbox provider. Choose one that was.")
	}
	amount := payment.Amount
	if written, given := in.Body.Amount.Value(); given {
		check := fault.NewCheck()
		amount = written.Amount(amount.Currency(), "amount", check)
		check.That(amount.IsPositive(), "amount", "must be above 0")
		if err := check.Err(); err != nil {
			return made, err
		}
	}
	report, err := h.SandboxDisputes.OpenDispute(ctx, rq.Caller.Project.ID, payment.Payment.Provider, cmp.Or(in.Body.Reason, "fraudulent"), amount)
	if err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*wire.Output[finance.DisputeView], error) {
		if err := h.Aftersales.In(st).RecordDispute(ctx, rq.Caller.Project.ID, report); err != nil {
			return nil, err
		}
		opened, err := st.Payments.DisputesOf(ctx, rq.Caller.Project.ID, of)
		if err != nil || len(opened) == 0 {
			return nil, fault.Missing("dispute").Because(err)
		}
		view := finance.ToAPIDispute(opened[0])
		operation.NoteCreated(rq, view.ID, map[string]any{"payment_id": of.String(), "amount": view.Amount, "currency": view.Currency})
		return &wire.Output[finance.DisputeView]{Body: view}, nil
	}
	return made, nil
}
