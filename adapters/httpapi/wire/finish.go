package wire

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Finish adds to the header of an answer that is about to be sent, such as a signature of all of it. It runs after the
// request's transaction, also where the answer is a refusal or was sent before. It cannot fail, because no other answer is
// possible any more: it leaves out headers that it cannot produce.
type Finish func(r *http.Request, status int, header http.Header, body []byte)

// held buffers an answer until it is finished. Deadlines are passed to the connection, because the request's body has not been
// read yet.
type held struct{ captured }

func (h *held) SetReadDeadline(t time.Time) error {
	return http.NewResponseController(h.ResponseWriter).SetReadDeadline(t)
}

// middleware buffers an operation's answers. If the operation panics, nothing is sent.
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
