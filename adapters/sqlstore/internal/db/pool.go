package db

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/id"
)

// pool gives connections to projects. A project whose transactions all wait for a lock leaves connections to the
// others.
type pool struct {
	*sqlx.DB
	places *bulkhead.Places // nil: projects have no shares
	group  *groupCommit     // nil: transactions commit one by one
}

func newPool(db *sqlx.DB, most int) pool {
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return pool{DB: db, places: bulkhead.NewPlaces(most, share)}
}

// share is how many connections a project may have if free are free: twice as many, after reserving one for a project
// that has none. One project alone gets two thirds of a large pool, two get two fifths each, and so on (Choudhury and
// Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet Switches, 1998).
func share(free int) int { return max(1, 2*(free-1)) }

// acquire returns a connection, which the caller returns with putBack.
func (p pool) acquire(ctx context.Context, project id.Project) (*sqlx.Conn, error) {
	if p.places != nil && !p.places.Take(ctx, project.String(), 0) {
		return nil, ctx.Err()
	}
	p.settle()
	conn, err := p.Connx(ctx)
	if err != nil {
		p.release(project)
		return nil, translate(ctx, err)
	}
	return conn, nil
}

func (p pool) putBack(conn *sqlx.Conn, project id.Project) {
	conn.Close()
	p.release(project)
}

func (p pool) release(project id.Project) {
	if p.places != nil {
		p.places.Release(project.String())
	}
}
