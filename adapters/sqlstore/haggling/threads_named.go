package haggling

import (
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/id"
)

// ofNamed keeps decisions in sessions with one of the names; none keeps all.
func ofNamed(w *db.Conditions, names []id.Negotiation) {
	if len(names) == 0 {
		return
	}
	w.Text += `
    AND session_id IN (
      SELECT n.session_id
      FROM decisions AS n
      WHERE n.project_id = $1
        AND n.seq = 1
        AND n.negotiation_id IN ` + w.Args.List(db.Strings(names)) + `
    )`
}
