package ucp

import (
	"net/http"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/adapters/httpsig"
)

// signatureLabel is the label of our signatures in the header fields.
const signatureLabel = "sig1"

// answerComponents lists the components that the signature of an answer covers (UCP, "REST Response Signing").
var answerComponents = []string{"@status", "content-digest", "content-type"}

// signing returns the function that signs an operation's answers with the key of the shop, or nil if they are not signed. Over
// MCP they are not, because an answer is a part of a message there.
func (h *handlers) signing() wire.Finish {
	if h.tools {
		return nil
	}
	return h.signAnswer
}

// signAnswer signs answers of the business. An answer that cannot be signed is sent without a signature, because a payment may
// have been taken by then, and the protocol recommends signatures but does not require them.
func (h *handlers) signAnswer(r *http.Request, status int, header http.Header, body []byte) {
	if status >= http.StatusBadRequest || len(body) == 0 {
		return
	}
	if err := h.sign(r, status, header, body); err != nil {
		wire.LoggerOf(r.Context()).WarnContext(r.Context(), "an answer is not signed", "error", err)
	}
}

func (h *handlers) sign(r *http.Request, status int, header http.Header, body []byte) error {
	ctx := r.Context()
	shop, err := h.Storefronts.BySlug(ctx, r.PathValue("slug")) // the request has looked it up before, so it is cached
	if err != nil {
		return err
	}
	key, err := h.AnswerKeys.Signer(ctx, shop.ID)
	if err != nil {
		return err
	}
	const digest = "Content-Digest"
	header.Set(digest, httpsig.Digest(body))
	err = httpsig.Sign(httpsig.Message{Status: status, Header: header}, signatureLabel, answerComponents, h.Clock.Now(), key)
	if err != nil {
		header.Del(digest)
	}
	return err
}
