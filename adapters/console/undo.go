package console

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// undo reverses the last action. A cookie carries it from the form's answer to the next page, because somebody else could make up
// an address.
type undo struct {
	Page   string     // that offers it
	Action string     // where its form is sent
	Fields url.Values // what the form sends
	Key    string     `json:"-"`
}

// undoCookie has an undo for the next page.
const undoCookie = "haggle_undo"

// undoFor is the lifetime of the cookie: the browser must open the page that offers the undo within it.
const undoFor = time.Minute

// mostUndone is the largest cookie in bytes. A change whose undo needs more offers no undo.
const mostUndone = 3 << 10

// finishUndoable redirects to a page that says what was done, and offers to undo it.
func (v *memberRequest) finishUndoable(page, done string, u undo) error {
	if v.r.PostForm.Has("undone") {
		return v.finish(page, "undone")
	}
	u.Page, _, _ = strings.Cut(page, "?")
	text, err := json.Marshal(u)
	if value := base64.RawURLEncoding.EncodeToString(text); err == nil && len(value) <= mostUndone {
		v.setCookie(v.w, undoCookie, value, undoFor, http.SameSiteStrictMode)
	}
	return v.finish(page, done)
}

// takeUndo returns the undo that the page offers, or nil. An undo is offered once.
func (v *memberRequest) takeUndo() *undo {
	value := v.cookie(v.r, undoCookie)
	if value == "" || v.shop == nil || !v.r.URL.Query().Has("done") {
		return nil
	}
	v.setCookie(v.w, undoCookie, "", 0, http.SameSiteStrictMode)
	text, err := base64.RawURLEncoding.DecodeString(value)
	u := &undo{Key: rand.Text()}
	if err != nil || json.Unmarshal(text, u) != nil || u.Page != v.r.URL.Path || !strings.HasPrefix(u.Action, v.shop.Path()+"/") {
		return nil
	}
	return u
}
