package console

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// afterDone returns a request for a page with the cookies that the answer to a form has set.
func afterDone(t *testing.T, form url.Values, u undo, address string) *memberRequest {
	t.Helper()
	v := &memberRequest{
		console: &console{},
		w:       httptest.NewRecorder(),
		r:       httptest.NewRequest(http.MethodPost, "/console/demo/settings/shop", nil),
		shop:    &shop{Slug: "demo"},
	}
	v.r.PostForm = form
	if err := v.finishUndoable("/console/demo/settings/shop", "saved", u); err != nil {
		t.Fatal(err)
	}
	answer := v.w.(*httptest.ResponseRecorder).Result()
	v.w, v.r = httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, address, nil)
	for _, c := range answer.Cookies() {
		v.r.AddCookie(c)
	}
	return v
}

func TestUndo(t *testing.T) {
	t.Parallel()
	const page = "/console/demo/settings/shop"
	back := undo{Action: page, Fields: url.Values{"name": {"before"}}}
	for _, test := range []struct {
		name    string
		form    url.Values
		undo    undo
		address string
		offered bool
	}{
		{"the page after", nil, back, page + "?done=saved", true},
		{"another page", nil, back, "/console/demo/settings/storefront?done=saved", false},
		{"a page on which nothing was done", nil, back, page, false},
		{"what was undone", url.Values{"undone": {"on"}}, back, page + "?done=undone", false},
		{"another shop", nil, undo{Action: "/console/other/settings/shop"}, page + "?done=saved", false},
		{"another site", nil, undo{Action: "https://evil.example/"}, page + "?done=saved", false},
		{"too much", nil, undo{Action: page, Fields: url.Values{"name": {strings.Repeat("x", mostUndone)}}}, page + "?done=saved", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := afterDone(t, test.form, test.undo, test.address)
			u := v.takeUndo()
			if offered := u != nil; offered != test.offered {
				t.Fatalf("an undo is offered: %v, want %v", offered, test.offered)
			}
			if u != nil && (u.Fields.Get("name") != "before" || u.Key == "") {
				t.Errorf("the undo is %+v", u)
			}
		})
	}
}

func TestTakeUndo_once(t *testing.T) {
	t.Parallel()
	const page = "/console/demo/settings/shop"
	v := afterDone(t, nil, undo{Action: page}, page+"?done=saved")
	v.takeUndo()
	for _, c := range v.w.(*httptest.ResponseRecorder).Result().Cookies() {
		if c.Name == undoCookie && c.MaxAge < 0 {
			return
		}
	}
	t.Error("the cookie stays")
}
