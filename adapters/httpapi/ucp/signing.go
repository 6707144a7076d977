package ucp

import (
	"net/http"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/adapters/httpsig"
)

// signatureLabel is the name of our signatures in the fields that hold them.
const signatureLabel = "sig1"

// answerComponents are what the signature of an answer covers (UCP, "REST Response Signing").
var answerComponents = []string{"@status", "content-digest", "content-type"}

// signing signs the answers of an operation with the key of the shop; nil: they are not signed. Over MCP they are not: an
// answer is a part of a message there.
func (h *handlers) signing() wire.Finish {
	if h.tools {
		return nil
	}
	return h.signAnswer
}

// signAnswer signs what the business says. An answer that cannot be signed is sent all the same: by then a payment may have
// been taken, and the signature is recommended, not required.
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
	shop, err := h.Storefronts.BySlug(ctx, r.PathValue("slug")) // which the request has found, and is remembered
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
