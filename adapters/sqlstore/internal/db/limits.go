package db

import (
	"cmp"

	"github.com/haggle-commerce/haggle/domain/account"
)

// PlanOfProject is the plan that a row of projects is on, within a statement about that row.
const PlanOfProject = `(SELECT plan FROM accounts WHERE accounts.id = projects.account_id)`

// Limits are those of a stored plan.
func (d Dialect) Limits(plan string) (account.Plan, account.Limits, error) {
	p, err := account.ParsePlan(plan)
	l := p.Limits()
	if p == account.Enterprise {
		l = account.Limits{
			Projects: cmp.Or(d.Enterprise.Projects, l.Projects),
			Products: cmp.Or(d.Enterprise.Products, l.Products),
			Synonyms: cmp.Or(d.Enterprise.Synonyms, l.Synonyms),
		}
	}
	return p, l, err
}
