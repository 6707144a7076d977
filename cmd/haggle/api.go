package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

type apiCmd struct {
	atServer
	Request  []string `arg:"" name:"method-path" help:"Path, such as /v1/orders; for methods other than GET, put the method before it."`
	Field    []string `short:"f" sep:"none" placeholder:"NAME=VALUE" help:"Add a string to the query of a GET or DELETE request, or to the JSON body of other requests. NAME may be a path, such as address.city."`
	Typed    []string `short:"F" sep:"none" placeholder:"NAME=VALUE" help:"Like -f, but send numbers, true, false, null, arrays and objects as JSON values."`
	Input    string   `placeholder:"FILE" help:"Send the file as the request body; - reads standard input."`
	Paginate bool     `help:"Request all pages of a list and print them one after the other."`
	JQ       string   `name:"jq" placeholder:"QUERY" help:"Filter the response with a jq query. Strings are printed without quotes."`
	Once     string   `name:"idempotency-key" placeholder:"KEY" help:"Idempotency key of a POST request. Default: a random key."`
	MFACode  string   `name:"mfa-code" placeholder:"CODE" help:"Authenticator code, for requests that require one."`
}

// methods maps each method that a request may have to whether its fields go into the query string.
var methods = map[string]bool{"GET": true, "DELETE": true, "POST": false, "PUT": false, "PATCH": false}

func (a apiCmd) Run(ctx context.Context) error {
	method, path, err := a.target()
	if err != nil {
		return fmt.Errorf("%w%w", err, errUsage)
	}
	query, err := a.query()
	if err != nil {
		return fmt.Errorf("%w%w", err, errUsage)
	}
	body, err := a.body(method)
	if err != nil {
		return err
	}
	for {
		text, err := a.ask(ctx, method, path.String(), body)
		if err != nil {
			return err
		}
		if err := print(ctx, os.Stdout, text, query); err != nil {
			return err
		}
		if !a.Paginate || !following(path, text) {
			return nil
		}
	}
}

// target returns the request's method and its path with the query string.
func (a apiCmd) target() (method string, path *url.URL, err error) {
	method, words := http.MethodGet, a.Request
	if len(words) == 2 {
		method, words = strings.ToUpper(words[0]), words[1:]
	}
	inQuery, known := methods[method]
	switch {
	case len(words) != 1:
		return "", nil, errors.New("expected one path, such as /v1/orders; for methods other than GET, put the method before it")
	case !known:
		return "", nil, fmt.Errorf("%q must be get, post, put, patch or delete", a.Request[0])
	case inQuery && a.Input != "":
		return "", nil, fmt.Errorf("%s requests have no body, so --input is not allowed: put a method such as post before the path", method)
	case a.Paginate && method != http.MethodGet:
		return "", nil, errors.New("--paginate works only with GET")
	}
	path, err = url.Parse(words[0])
	if err != nil || path.Host != "" || path.Scheme != "" {
		return "", nil, fmt.Errorf("%q must be a path, such as /v1/orders: set the address of the server with --url", words[0])
	}
	path.Path = "/" + strings.TrimPrefix(path.Path, "/")
	if !inQuery {
		return method, path, nil
	}
	query := path.Query()
	for _, field := range slices.Concat(a.Field, a.Typed) {
		name, value, ok := strings.Cut(field, "=")
		if !ok || name == "" {
			return "", nil, fmt.Errorf("%q must be NAME=VALUE", field)
		}
		query.Add(name, value)
	}
	path.RawQuery = query.Encode()
	return method, path, nil
}

func (a apiCmd) query() (*gojq.Code, error) {
	if a.JQ == "" {
		return nil, nil
	}
	parsed, err := gojq.Parse(a.JQ)
	if err != nil {
		return nil, fmt.Errorf("--jq: %w", err)
	}
	return gojq.Compile(parsed)
}

// body returns the request's body, or nil if it has none.
func (a apiCmd) body(method string) ([]byte, error) {
	if methods[method] {
		return nil, nil
	}
	fields := len(a.Field)+len(a.Typed) > 0
	switch {
	case a.Input != "" && fields:
		return nil, fmt.Errorf("--input cannot be combined with -f or -F%w", errUsage)
	case a.Input == "-":
		return io.ReadAll(os.Stdin)
	case a.Input != "":
		return os.ReadFile(a.Input)
	case !fields:
		return nil, nil
	}
	object := map[string]any{}
	for _, field := range a.Field {
		if err := put(object, field, func(text string) any { return text }); err != nil {
			return nil, err
		}
	}
	for _, field := range a.Typed {
		if err := put(object, field, jsonValue); err != nil {
			return nil, err
		}
	}
	return json.Marshal(object)
}

// jsonValue returns the JSON value in text, or text itself if it is no JSON. Numbers keep their digits.
func jsonValue(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// put adds a field to an object. A dot in the name addresses a field of a nested object.
func put(object map[string]any, field string, value func(string) any) error {
	path, text, ok := strings.Cut(field, "=")
	names := strings.Split(path, ".")
	if !ok || slices.Contains(names, "") {
		return fmt.Errorf("%q must be NAME=VALUE%w", field, errUsage)
	}
	for _, name := range names[:len(names)-1] {
		inner, ok := object[name].(map[string]any)
		if object[name] != nil && !ok {
			return fmt.Errorf("%q: %s already has a value%w", field, name, errUsage)
		}
		if inner == nil {
			inner = map[string]any{}
			object[name] = inner
		}
		object = inner
	}
	last := names[len(names)-1]
	if _, taken := object[last]; taken {
		return fmt.Errorf("%q: %s is set twice%w", field, path, errUsage)
	}
	object[last] = value(text)
	return nil
}

func (a apiCmd) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	header := http.Header{}
	set := func(name, value string) {
		if value != "" {
			header.Set(name, value)
		}
	}
	set("X-Project-ID", a.Project)
	set("X-MFA-Code", a.MFACode)
	if body != nil {
		set("Content-Type", "application/json")
	}
	if method == http.MethodPost {
		set("Idempotency-Key", a.Once)
		if a.Once == "" {
			set("Idempotency-Key", rand.Text())
		}
	}
	_, text, err := a.call(ctx, method, path, header, bytes.NewReader(body))
	return text, err
}

// print writes the response as indented JSON, or the values that query selects from it.
func print(ctx context.Context, w io.Writer, text []byte, query *gojq.Code) error {
	if query == nil {
		var pretty bytes.Buffer
		if len(text) == 0 {
			return nil
		}
		if json.Indent(&pretty, text, "", "  ") != nil {
			_, err := w.Write(text) // not JSON
			return err
		}
		_, err := fmt.Fprintln(w, strings.TrimSpace(pretty.String()))
		return err
	}
	var answer any
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber() // keeps the digits of numbers
	if err := numbers.Decode(&answer); err != nil {
		return fmt.Errorf("--jq: the response is not JSON: %w", err)
	}
	for found := query.RunWithContext(ctx, answer); ; {
		value, more := found.Next()
		if !more {
			return nil
		}
		switch value := value.(type) {
		case error:
			return fmt.Errorf("--jq: %w", value)
		case string:
			fmt.Fprintln(w, value)
		default:
			line, err := gojq.Marshal(value)
			if err != nil {
				return fmt.Errorf("--jq: %w", err)
			}
			fmt.Fprintln(w, string(line))
		}
	}
}

// following changes path to that of the next page and reports whether there is one. It follows meta.next if the list has it,
// and the offset otherwise.
func following(path *url.URL, text []byte) bool {
	var page struct {
		Data []json.RawMessage
		Meta struct {
			Next                 *string
			Total, Offset, Limit int
		}
	}
	if json.Unmarshal(text, &page) != nil {
		return false
	}
	query := path.Query()
	next := page.Meta.Offset + len(page.Data)
	switch {
	case page.Meta.Next != nil:
		query.Del("offset")
		query.Set("after", *page.Meta.Next)
	case query.Has("after") || len(page.Data) == 0 || next >= page.Meta.Total:
		return false
	default:
		query.Set("offset", strconv.Itoa(next))
	}
	path.RawQuery = query.Encode()
	return true
}
