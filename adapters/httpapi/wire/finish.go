package wire

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Finish adds to the header of an answer that is about to be sent, such as a signature of all of it. It runs after the
// request's transaction, also where the answer is a refusal or was sent before. What it cannot do it leaves out: there is no
// answer but this one any more.
type Finish func(r *http.Request, status int, header http.Header, body []byte)

// held is an answer that is held back until it is finished. Its deadlines are the connection's: the body of the request has
// not been read yet.
type held struct{ captured }

func (h *held) SetReadDeadline(t time.Time) error {
	return http.NewResponseController(h.ResponseWriter).SetReadDeadline(t)
}

// middleware holds an operation's answers back. Where the operation panics, nothing of them is sent.
func (f Finish) middleware(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	answer := &held{captured{ResponseWriter: w, header: http.Header{}}}
	next(humago.NewContext(ctx.Operation(), r, answer))
	if answer.status == 0 {
		answer.status = http.StatusOK
	}
	f(r, answer.status, answer.header, answer.body.Bytes())
	answer.sendTo(w)
}
