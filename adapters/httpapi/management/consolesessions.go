package management

import (
	"cmp"
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
)

// registerConsoleSessions lets members manage their own sessions, in any role.
func (h *handlers) registerConsoleSessions(g operation.Group) {
	const all, one = "/v1/console-sessions", "/v1/console-sessions/{session_id}"
	operation.Register(g, "list-console-sessions", "GET "+all, "List members' active sessions in the console", h.listConsoleSessions,
		operation.Own, operation.On(operation.WholeAccount))
	operation.Register(g, "end-console-session", "DELETE "+one, "End a member's session", h.endConsoleSession,
		operation.Own, operation.On(operation.WholeAccount), operation.Errors(404))
	operation.Register(g, "end-console-sessions", "DELETE "+all, "End all sessions of a member, except the current one", h.endConsoleSessions,
		operation.Own, operation.On(operation.WholeAccount), operation.Errors(404))
}

type consoleSessionView struct {
	ID        string    `json:"id"`
	MemberID  string    `json:"member_id"`
	Current   bool      `json:"current" doc:"Whether it is the session of this request."`
	Address   string    `json:"address" doc:"The network address from which the member signed in."`
	Browser   string    `json:"browser" doc:"The browser, as it identifies itself."`
	Method    string    `json:"method" enum:"password,link,invitation,openid_connect,unknown" doc:"How the member signed in. unknown: the session is older than this record."`
	CreatedAt wire.Time `json:"created_at"`
	UsedAt    wire.Time `json:"last_used_at" doc:"Accurate to a minute."`
	EndsAt    wire.Time `json:"ends_at" doc:"When it expires unless it is used again."`
}

type listConsoleSessionsInput struct {
	operation.Paging
	Member wire.Ref[id.Member] `query:"member_id"`
}

func (h *handlers) listConsoleSessions(ctx context.Context, rq operation.Request, in *listConsoleSessionsInput) (*operation.ListOutput[consoleSessionView], error) {
	// The setting may have been changed since the caller was authenticated.
	of, err := rq.Stores.Accounts.ByID(ctx, rq.Caller.Account.ID)
	if err != nil {
		return nil, err
	}
	find := func(ctx context.Context, rq operation.Request, in *listConsoleSessionsInput) ([]*member.Session, int, error) {
		return h.People.In(rq.Stores).Sessions(ctx, actor(rq), of, in.Member.ID, in.Page())
	}
	return operation.HandleList(find, toAPIConsoleSession(rq, of.ConsoleIdle()))(ctx, rq, in)
}

func toAPIConsoleSession(rq operation.Request, idle time.Duration) func(*member.Session) consoleSessionView {
	own := currentSession(rq)
	return func(s *member.Session) consoleSessionView {
		return consoleSessionView{
			ID:        s.ID.String(),
			MemberID:  s.Member.String(),
			Current:   s.ID == own,
			Address:   s.Address,
			Browser:   s.Browser,
			Method:    cmp.Or(s.Method.String(), "unknown"),
			CreatedAt: wire.ToTime(s.CreatedAt),
			UsedAt:    wire.ToTime(s.UsedAt),
			EndsAt:    wire.ToTime(s.Ends(idle)),
		}
	}
}

// currentSession returns the session that sends the request, or zero if an API key does.
func currentSession(rq operation.Request) id.ConsoleSession {
	if s := rq.Caller.Session; s != nil {
		return s.ID
	}
	return id.ConsoleSession{}
}

type OnConsoleSession struct {
	Session wire.Ref[id.ConsoleSession] `path:"session_id" thing:"console_session"`
}

func (h *handlers) endConsoleSession(ctx context.Context, rq operation.Request, in *OnConsoleSession) (*struct{}, error) {
	return nil, h.People.In(rq.Stores).EndSession(ctx, actor(rq), in.Session.ID)
}

type endConsoleSessionsInput struct {
	Member string `query:"member_id" required:"true" doc:"The member whose sessions end."`
}

func (h *handlers) endConsoleSessions(ctx context.Context, rq operation.Request, in *endConsoleSessionsInput) (*struct{}, error) {
	of, err := wire.ID[id.Member](in.Member, "member")
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, of.String())
	_, err = h.People.In(rq.Stores).EndSessions(ctx, actor(rq), of, currentSession(rq))
	return nil, err
}
