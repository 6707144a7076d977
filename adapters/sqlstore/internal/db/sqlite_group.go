package db

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// groupCommit merges transactions that wait for SQLite's writing connection into one, because a COMMIT, which waits for
// the disk, costs more than the statements of most transactions.
//
// The first member of a group begins the transaction and runs its statements. If another caller waits for the connection
// by then, the member hands over the open transaction with its place in the queue, and waits for the outcome, as do those
// after it. The member that finds no caller waiting, or the group full, commits. No call returns before that: a member's
// writes are on disk when InTx or Run returns nil, and gone when COMMIT fails, with the writes of members that read them.
// A lone caller commits at once. A failed member also waits, because it may have read what others wrote.
//
// Each member except the first has a savepoint. One that fails, panics or is cancelled rolls back only its own writes.
// It can affect others in three ways, after which the transactions concerned run again:
//   - SQLite ends the whole transaction when the disk is full or fails, or memory is short. Cancelled statements would
//     end it as well, so none is interrupted (sqlite_guard.go); a cancelled member ends between its statements.
//   - COMMIT checks deferred constraints and does not say which member violated one. Each runs again in a transaction of its
//     own.
//   - A slow member would delay the members before it. After memberTime it is rolled back, the others commit, and it runs
//     again in a transaction of its own.
//
// Transactions of whole requests (unit) are not members. They last as long as their handler, which must not run again
// because of others. Like all callers that use the connection itself, they come after the COMMIT of the open group.
type groupCommit struct {
	mostMembers int
	groupTime   time.Duration // after which no member joins
	memberTime  time.Duration

	// The fields below belong to the holder of the connection's place.
	open  *group    // handed over with the place
	limit time.Time // when the member that runs has taken too long; zero: it has no limit
	late  bool      // it has
}

func newGroupCommit() *groupCommit {
	return &groupCommit{
		mostMembers: 16,
		groupTime:   5 * time.Millisecond,
		memberTime:  10 * time.Millisecond,
	}
}

// ended lifts the limit of a member whose work has ended, and reports whether it took too long.
func (c *groupCommit) ended() (late bool) {
	late = c.late
	c.limit, c.late = time.Time{}, false
	return late
}

// group is a transaction under way.
type group struct {
	conn    *sqlx.Conn
	began   time.Time
	members int // that wait for COMMIT
	done    chan struct{}
	err     error // of COMMIT; set when done is closed
}

func (c *groupCommit) full(g *group) bool {
	return g.members >= c.mostMembers || time.Since(g.began) >= c.groupTime
}

// again is the failure of a transaction that changed nothing and must run again, in a transaction of its own.
type again struct{ error }

func (a again) Unwrap() error { return a.error }

var errSlow = fault.New(fault.Unavailable, "storage_unavailable", "The database is busy. Try again.").After(time.Second)

// grouped runs work in a transaction, which others may share. work neither begins nor ends it.
func (s *DB) grouped(ctx context.Context, project id.Project, work func(*sqlx.Conn) error) error {
	alone := false
	return retry(ctx, func() error {
		err := s.write.member(ctx, project, alone, work)
		alone = alone || errors.As(err, &again{})
		return err
	})
}

// member runs work as the next member of the open group, or the first of a new one, and waits for COMMIT. One that is
// alone is the only member.
func (p pool) member(ctx context.Context, project id.Project, alone bool, work func(*sqlx.Conn) error) error {
	g, err := p.join(ctx, project, alone)
	if err != nil {
		return err
	}
	if lives, err := p.work(ctx, g, project, work); err != nil {
		if lives && ctx.Err() == nil && !errors.As(err, &again{}) {
			<-g.done
			return cmp.Or(g.err, err)
		}
		return err
	}
	g.members++
	p.next(g, project, alone)
	<-g.done
	return g.err
}

// join waits for a place, and returns the group whose transaction has come with it, or a new one.
func (p pool) join(ctx context.Context, project id.Project, alone bool) (*group, error) {
	if !p.places.Take(ctx, project.String(), 0) {
		return nil, ctx.Err()
	}
	if alone || ctx.Err() != nil {
		p.settle()
	}
	g := p.group.open
	p.group.open = nil
	if g == nil {
		return p.begin(ctx, project)
	}
	if err := g.exec("SAVEPOINT member"); err != nil {
		p.fail(g, project, err)
		return nil, retryable{translate(ctx, err)}
	}
	p.group.limit = time.Now().Add(p.group.memberTime)
	return g, nil
}

func (p pool) begin(ctx context.Context, project id.Project) (*group, error) {
	conn, err := p.Connx(ctx)
	if err != nil {
		p.release(project)
		return nil, translate(ctx, err)
	}
	g := &group{
		conn:  conn,
		began: time.Now(),
		done:  make(chan struct{}),
	}
	if err := begin(ctx, conn, sqliteDialect.Begin(project)); err != nil {
		p.fail(g, project, err)
		return nil, err
	}
	return g, nil
}

// work runs a member's work. If it fails or panics, its writes are undone. The group goes on unless undoing fails.
func (p pool) work(ctx context.Context, g *group, project id.Project, work func(*sqlx.Conn) error) (lives bool, err error) {
	done := false
	defer func() {
		p.group.ended()
		if !done {
			lives = p.undo(g, project)
		}
	}()
	err = work(g.conn)
	switch late := p.group.ended(); {
	case ctx.Err() != nil:
		return false, cmp.Or(err, ctx.Err())
	case late:
		return false, retryable{again{errSlow}}
	case err != nil:
		return false, err
	}
	if g.members > 0 {
		if err := g.exec("RELEASE member"); err != nil {
			return false, retryable{translate(ctx, err)}
		}
	}
	done = true
	return true, nil
}

// undo rolls back a member's writes, and reports whether the group still exists.
func (p pool) undo(g *group, project id.Project) bool {
	if g.members == 0 {
		p.fail(g, project, nil)
		return false
	}
	err := g.exec("ROLLBACK TO member")
	if err == nil {
		err = g.exec("RELEASE member")
	}
	if err != nil { // the transaction is gone
		p.fail(g, project, err)
		return false
	}
	p.next(g, project, false)
	return true
}

// next hands the open transaction over, or commits.
func (p pool) next(g *group, project id.Project, alone bool) {
	if !alone && !p.group.full(g) {
		p.group.open = g
		if p.places.Pass(project.String()) {
			return
		}
		p.group.open = nil
	}
	p.commit(g)
	p.release(project)
}

// settle commits the open group. Its caller has the place, and keeps it.
func (p pool) settle() {
	if p.group == nil || p.group.open == nil {
		return
	}
	g := p.group.open
	p.group.open = nil
	p.commit(g)
}

func (p pool) commit(g *group) {
	ctx := context.Background()
	_, err := g.conn.ExecContext(ctx, "COMMIT")
	switch {
	case err == nil:
	case Violated(err) != "" && g.members > 1:
		err = retryable{again{translate(ctx, err)}}
	default:
		err = translate(ctx, err)
	}
	if err != nil {
		rollback(ctx, g.conn)
	}
	g.conn.Close()
	g.err = err
	close(g.done)
}

// fail ends a transaction that does not commit. Its members get the reason and run again.
func (p pool) fail(g *group, project id.Project, why error) {
	ctx := context.Background()
	rollback(ctx, g.conn)
	g.conn.Close()
	g.err = retryable{translate(ctx, why)}
	close(g.done)
	p.release(project)
}

func (g *group) exec(statement string) error {
	_, err := g.conn.ExecContext(context.Background(), statement)
	return err
}
