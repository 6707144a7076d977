package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Visit is a session with its cart, history and recommendations.
type Visit struct {
	Session *session.Session
	Now     time.Time // by the database's clock
	Cart    []session.CartItem
	History []negotiation.Entry // oldest first
	Shown   []session.Shown
}

// Sessions keeps buyers' sessions.
type Sessions interface {
	// Create stores a new session with the recommendations that it begins with.
	Create(ctx context.Context, s *session.Session, shown ...id.Product) error
	// Update loads the session for exclusive use, runs change on it, stores it if change returns nil,
	// and returns it. change does no I/O and may run more than once.
	Update(ctx context.Context, project id.Project, session id.Session, change func(*session.Session) error) (*session.Session, error)
	Visit(ctx context.Context, project id.Project, session id.Session) (Visit, error)
	// Keep stores what a request changed of a session, and the recommendations that it was shown: recommendations noted
	// before stay as they are, and so does a later end of the session that was stored meanwhile. If nothing changed and
	// nothing was shown it does nothing.
	Keep(ctx context.Context, s *session.Session, t session.Touched, shown ...id.Product) error
}
