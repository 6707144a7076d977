package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/app/access"
)

// api calls the Management API in process, as the signed-in member.
type api struct {
	handler http.Handler
	page    *http.Request
	caller  access.Caller
	project string // its id; empty: none yet
}

// problem is an error of the Management API.
type problem struct {
	Status  int
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Details []detail `json:"details"`
}

type detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func (p *problem) Error() string { return p.Code + ": " + p.Message }

// get sends a GET request, and decodes the answer into out.
func (a *api) get(path string, query url.Values, out any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return a.do(http.MethodGet, path, nil, nil, out)
}

// change is what a form asks for.
type change struct {
	body any
	key  string // its idempotency key, so that a form that is sent twice has one effect
	code string // of the second factor; empty: none was given
}

// post sends a change, and decodes the answer into out unless that is nil.
func (a *api) post(method, path string, c change, out any) error {
	text, err := json.Marshal(c.body)
	if err != nil {
		return err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if c.key != "" {
		header.Set("Idempotency-Key", c.key)
	}
	if c.code != "" {
		header.Set("X-MFA-Code", c.code)
	}
	return a.do(method, path, header, text, out)
}

func (a *api) do(method, path string, header http.Header, body []byte, out any) error {
	return a.send(method, path, header, bytes.NewReader(body), out)
}

// send streams a body, and decodes the answer into out unless that is nil.
func (a *api) send(method, path string, header http.Header, body io.Reader, out any) error {
	r, err := a.request(method, path, header, body)
	if err != nil {
		return err
	}
	answer := &recorded{header: http.Header{}}
	a.handler.ServeHTTP(answer, r)
	return answer.read(method, path, out)
}

// request builds a request to the API as the signed-in member.
func (a *api) request(method, path string, header http.Header, body io.Reader) (*http.Request, error) {
	ctx := access.With(a.page.Context(), a.caller)
	r, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header
	}
	if a.project != "" {
		r.Header.Set("X-Project-ID", a.project)
	}
	// Projects admit callers by the address and the proxies before it.
	r.RemoteAddr = a.page.RemoteAddr
	r.Header["X-Forwarded-For"] = a.page.Header["X-Forwarded-For"]
	return r, nil
}

// recorded is an answer of the API.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *recorded) Header() http.Header { return a.header }

func (a *recorded) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *recorded) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (a *recorded) read(method, path string, out any) error {
	if a.status >= http.StatusBadRequest {
		var envelope struct {
			Error problem `json:"error"`
		}
		if err := json.Unmarshal(a.body.Bytes(), &envelope); err != nil {
			return fmt.Errorf("%s %s: %d, and no error in its answer: %w", method, path, a.status, err)
		}
		envelope.Error.Status = a.status
		envelope.Error.Message = forms.Replace(envelope.Error.Message)
		return &envelope.Error
	}
	if a.status >= http.StatusMultipleChoices { // a redirect, such as for a path with dots
		return errNoPage
	}
	if out == nil || a.body.Len() == 0 {
		return nil
	}
	if err := json.Unmarshal(a.body.Bytes(), out); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// forms rewrites messages about the second factor: the API names its header, the form has a field.
var forms = strings.NewReplacer(
	"Enroll an authenticator at POST /v1/account/mfa, then send its code in the header X-MFA-Code.", "Enrol an authenticator first, then enter its code.",
	"Send the authenticator's current code, or a recovery code, in the header X-MFA-Code.", "Enter your authenticator's current code, or a recovery code.",
	"The code in X-MFA-Code is wrong. Send the authenticator's", "The code is wrong. Enter your authenticator's",
	"The code in X-MFA-Code has been used. Wait for the authenticator's", "The code has been used. Wait for your authenticator's",
)

// list is a page of a list.
type list[T any] struct {
	Data []T `json:"data"`
	Meta struct {
		Total int `json:"total"`
	} `json:"meta"`
}

// fetch asks for something.
func fetch[T any](a *api, path string, query url.Values) (out T, err error) {
	return out, a.get(path, query, &out)
}

// fetchAll fetches a whole list, page by page.
func fetchAll[T any](a *api, path string, query url.Values) (all []T, err error) {
	asked := maps.Clone(query)
	if asked == nil {
		asked = url.Values{}
	}
	asked.Set("limit", "100")
	for {
		asked.Set("offset", strconv.Itoa(len(all)))
		page, err := fetch[list[T]](a, path, asked)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if len(page.Data) == 0 || len(all) >= page.Meta.Total {
			return all, nil
		}
	}
}
