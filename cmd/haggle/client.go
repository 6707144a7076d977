package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// atServer has the flags of commands that call the Management API of a running server.
type atServer struct {
	URL     string `env:"HAGGLE_URL" group:"client" help:"URL of the server. Default: http://HAGGLE_ADDR, or http://127.0.0.1:8080 if HAGGLE_ADDR is not set."`
	Key     string `env:"HAGGLE_API_KEY" required:"" placeholder:"KEY" group:"client" help:"API key."`
	Project string `placeholder:"NAME" group:"client" help:"Slug or ID of the project. A project that is being closed requires its ID. Default: the project that the key is bound to."`
}

// atOnce is the page size of list requests. longestAnswer limits the bytes of a response.
const (
	atOnce        = 100
	longestAnswer = 64 << 20
)

// eachPage calls each with every element of a list of the project.
func eachPage[T any](ctx context.Context, s atServer, path string, query url.Values, each func(T)) error {
	project, err := s.projectID(ctx)
	if err != nil {
		return err
	}
	return pages(ctx, s, project, path, query, func(element T) bool {
		each(element)
		return true
	})
}

// pages reads the list page by page until more returns false or the list ends.
func pages[T any](ctx context.Context, s atServer, project, path string, query url.Values, more func(T) bool) error {
	for offset := 0; ; offset += atOnce {
		part := url.Values{"limit": {strconv.Itoa(atOnce)}, "offset": {strconv.Itoa(offset)}}
		for name, values := range query {
			part[name] = values
		}
		var list struct {
			Data []T `json:"data"`
			Meta struct {
				Total int `json:"total"`
			} `json:"meta"`
		}
		if err := s.send(ctx, project, "GET", path+"?"+part.Encode(), "", nil, &list); err != nil {
			return err
		}
		for _, element := range list.Data {
			if !more(element) {
				return nil
			}
		}
		if offset+atOnce >= list.Meta.Total {
			return nil
		}
	}
}

// projectID returns the project's id, or "" if the API key implies the project.
func (s atServer) projectID(ctx context.Context) (string, error) {
	if s.Project == "" || strings.HasPrefix(s.Project, "proj_") {
		return s.Project, nil
	}
	type project struct{ ID, Slug string }
	found := ""
	err := pages(ctx, s, "", "/v1/projects", nil, func(p project) bool {
		if p.Slug == s.Project {
			found = p.ID
		}
		return found == ""
	})
	if err == nil && found == "" {
		err = fmt.Errorf("no project that the API key can access has the slug %q", s.Project)
	}
	return found, err
}

// address returns the server's URL. The default is the address that HAGGLE_ADDR gives a server on this machine.
func (s atServer) address() string {
	if s.URL != "" {
		return strings.TrimSuffix(s.URL, "/")
	}
	host, port, err := net.SplitHostPort(os.Getenv("HAGGLE_ADDR"))
	if err != nil {
		return defaultURL
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// send sends a request and decodes the response. If the server refuses, the error has the server's message.
func (s atServer) send(ctx context.Context, project, method, path, code string, body, answer any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	header := http.Header{}
	for name, value := range map[string]string{
		"X-Project-ID": project,
		"X-MFA-Code":   code,
		"Content-Type": map[bool]string{true: "application/json"}[body != nil],
	} {
		if value != "" {
			header.Set(name, value)
		}
	}
	_, text, err := s.call(ctx, method, path, header, content)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("the response of %s is not from a Haggle server: %w", s.address(), err)
	}
	return nil
}

// refusedRequest is an error response of the server.
type refusedRequest struct {
	error
	status int
	header http.Header
}

// call sends a request with the API key. It returns a refusedRequest for an error response.
func (s atServer) call(ctx context.Context, method, path string, header http.Header, body io.Reader) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.address()+path, body)
	if err != nil {
		return nil, nil, fmt.Errorf("--url: %w", err)
	}
	request.Header = header.Clone()
	request.Header.Set("Authorization", "Bearer "+s.Key)
	response, err := (&http.Client{Timeout: 40 * time.Second}).Do(request)
	if err != nil {
		return nil, nil, s.unreachable(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("the response of the server is incomplete: %w", err)
	case len(text) > longestAnswer:
		return nil, nil, fmt.Errorf("the response of the server is larger than %d MB", longestAnswer>>20)
	case response.StatusCode >= 300:
		return nil, nil, refusedRequest{refusal(response.Status, text), response.StatusCode, response.Header}
	}
	return response, text, nil
}

// unreachable returns the error for a server that did not respond, with its address.
func (s atServer) unreachable(err error) error {
	var number syscall.Errno
	var failed *url.Error
	switch {
	case errors.As(err, &number):
		err = number
	case errors.As(err, &failed):
		err = failed.Err
	}
	return fmt.Errorf("cannot connect to the server at %s: %w (HAGGLE_URL)", s.address(), err)
}

// refusal returns the error in a response's body, field by field.
func refusal(status string, body []byte) error {
	var answer struct {
		Error struct {
			Code    string
			Message string
			Details []struct{ Field, Message string }
		}
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error.Code == "" {
		return fmt.Errorf("the server responded with status %s", status)
	}
	var problems []string
	for _, d := range answer.Error.Details {
		problems = append(problems, d.Field+" "+d.Message)
	}
	return errors.New(oneLine(cmp.Or(strings.Join(problems, "; "), answer.Error.Message) + " (" + answer.Error.Code + ")"))
}
