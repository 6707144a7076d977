package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// atServer is what a command needs that works through the Management API of a running server.
type atServer struct {
	URL     string `default:"http://127.0.0.1:8080" group:"client" help:"Address of the server."`
	Key     string `env:"HAGGLE_API_KEY" required:"" placeholder:"KEY" group:"client" help:"An API key of the server."`
	Project string `placeholder:"NAME" group:"client" help:"Slug or id of the project; the id if it is closing. Default: the one that the key is bound to."`
}

// atOnce is how many elements of a list one request asks for, and longestAnswer how long an answer may be in bytes.
const (
	atOnce        = 100
	longestAnswer = 4 << 20
)

// eachPage reads a list of the project to its end.
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

// pages reads a list until more is false or the list ends.
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

// projectID is the id of the project; empty: the key tells.
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
		err = fmt.Errorf("the key reaches no project whose slug is %q", s.Project)
	}
	return found, err
}

// send sends a request and decodes the answer. A refusal is an error in the server's words.
func (s atServer) send(ctx context.Context, project, method, path, code string, body, answer any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(s.URL, "/")+path, content)
	if err != nil {
		return fmt.Errorf("--url: %w", err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + s.Key,
		"X-Project-ID":  project,
		"X-MFA-Code":    code,
		"Content-Type":  map[bool]string{true: "application/json"}[body != nil],
	} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	response, err := (&http.Client{Timeout: 40 * time.Second}).Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer))
	if err != nil {
		return fmt.Errorf("the server's answer is cut off: %w", err)
	}
	if response.StatusCode >= 300 {
		return refusal(response.Status, text)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("%s does not answer as a Haggle server: %w", s.URL, err)
	}
	return nil
}

// refusal is what a server refused a request for, field by field.
func refusal(status string, body []byte) error {
	var answer struct {
		Error struct {
			Code    string
			Message string
			Details []struct{ Field, Message string }
		}
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error.Code == "" {
		return fmt.Errorf("the server answers %s", status)
	}
	var problems []string
	for _, d := range answer.Error.Details {
		problems = append(problems, d.Field+" "+d.Message)
	}
	return errors.New(oneLine(cmp.Or(strings.Join(problems, "; "), answer.Error.Message) + " (" + answer.Error.Code + ")"))
}
