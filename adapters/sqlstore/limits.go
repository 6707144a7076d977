package sqlstore

import (
	"cmp"

	"github.com/haggle-commerce/haggle/domain/account"
)

// planOfProject is the plan that a row of projects is on, within a statement about that row.
const planOfProject = `(SELECT plan FROM accounts WHERE accounts.id = projects.account_id)`

// limits are those of a stored plan.
func (d dialect) limits(plan string) (account.Plan, account.Limits, error) {
	p, err := account.ParsePlan(plan)
	l := p.Limits()
	if p == account.Enterprise {
		l = account.Limits{
			Projects: cmp.Or(d.enterprise.Projects, l.Projects),
			Products: cmp.Or(d.enterprise.Products, l.Products),
			Synonyms: cmp.Or(d.enterprise.Synonyms, l.Synonyms),
		}
	}
	return p, l, err
}
