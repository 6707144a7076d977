package shopify_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

func (s *fakeShop) exchange(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.FormValue("client_id") != clientID || r.FormValue("client_secret") != secret || !s.codes[r.FormValue("code")] {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": "invalid_request", "error_description": "The authorization code was not found or was already used"}`)
		return
	}
	delete(s.codes, r.FormValue("code"))
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token": "%s", "scope": "read_products"}`, token)
}

func sign(text string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// callback returns the signed parameters of Shopify's redirect.
func callback(code, state, shop string, at time.Time) url.Values {
	q := url.Values{
		"code": {code}, "state": {state}, "shop": {shop}, "host": {"YWRtaW4uc2hvcGlmeS5jb20vc3RvcmUvYWNtZQ"}, "timestamp": {fmt.Sprint(at.Unix())},
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(q)) {
		pairs = append(pairs, key+"="+q.Get(key))
	}
	q.Set("hmac", hex.EncodeToString(sign(strings.Join(pairs, "&"))))
	return q
}
