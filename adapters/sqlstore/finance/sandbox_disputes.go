package finance

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

type sandboxDispute struct {
	Project id.Project
	ports.SandboxDispute
}

var (
	sandboxDisputes = db.NewTable[sandboxDispute]("sandbox_disputes", db.Columns{"Charge": "charge_id"})

	selectSandboxDispute = sandboxDisputes.Select() + "\nWHERE project_id = $1\n  AND "

	decideSandboxDispute = sandboxDisputes.Update([]string{"project_id", "id"}, "status", "response", "evidence", "at").Text + `
  AND response = 'needed'`
)

const disputedCharge = `
SELECT id
FROM sandbox_charges
WHERE project_id = $1
  AND id = $2
  AND result = 'paid'
  AND currency = $3
  AND amount >= $4`

func (v SandboxLedger) OpenDispute(ctx context.Context, project id.Project, d ports.SandboxDispute) (ports.SandboxDispute, bool, error) {
	paid, err := db.First[string](ctx, v.Store.Read(project), disputedCharge, project, d.Charge, d.Amount.Currency(), d.Amount.Minor())
	if err != nil || paid == nil { // a charge that is paid stays so
		return ports.SandboxDispute{}, false, err
	}
	var stored sandboxDispute
	b := v.Store.Write(project)
	b.Exec(sandboxDisputes.Insert()+"\nON CONFLICT DO NOTHING", sandboxDisputes.Args(sandboxDispute{project, d})...)
	b.Query(&stored, selectSandboxDispute+"charge_id = $2", project, d.Charge)
	err = b.Run(ctx)
	return stored.SandboxDispute, err == nil, err
}

func (v SandboxLedger) DisputeByID(ctx context.Context, project id.Project, of string) (ports.SandboxDispute, error) {
	found, err := db.One[sandboxDispute](ctx, v.Store.Read(project), "dispute", selectSandboxDispute+"id = $2", project, of)
	if err != nil {
		return ports.SandboxDispute{}, err
	}
	return found.SandboxDispute, nil
}

func (v SandboxLedger) DecideDispute(ctx context.Context, project id.Project, d ports.SandboxDispute) (ports.SandboxDispute, error) {
	b := v.Store.Write(project)
	b.Exec(decideSandboxDispute, project, d.ID, d.Status, d.Response, d.Evidence, db.Millis(d.At))
	if err := b.Run(ctx); err != nil {
		return ports.SandboxDispute{}, err
	}
	return v.DisputeByID(ctx, project, d.ID)
}
