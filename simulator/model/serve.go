package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/script"
)

// api is one of the two APIs.
type api interface {
	read(body []byte) (Question, error)
	key(r *http.Request) string
	// reply returns an answer's body with the text. cut reports whether the text was truncated.
	reply(q Question, text string, cut bool) map[string]any
	refusal(code, message string) map[string]any
}

// serve answers questions, or as the oldest matching fault says.
func (m *Model) serve(a api) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if m.config.Key != "" && a.key(r) != m.config.Key {
			script.Write(w, http.StatusUnauthorized, a.refusal("authentication_error", "Incorrect API key provided: "+a.key(r)))
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, largestBody))
		var q Question
		if err == nil {
			q, err = a.read(body)
		}
		if err == nil && strings.HasPrefix(q.Model, "think") && q.Temperature != nil {
			err = errors.New("unsupported value: 'temperature' does not support this value with this model")
		}
		if err != nil {
			script.Write(w, http.StatusBadRequest, a.refusal("invalid_request_error", err.Error()))
			return
		}
		q.Body = string(body)
		behaviour := m.asked(q)
		f := m.Meet(q.Body)
		if f.Kind != "" {
			m.note(func(s *State) { s.Faults++ })
		}
		if applyFault(f, w, r, a) {
			return
		}
		m.send(w, a, q, m.answer(q, behaviour), f)
	}
}

// send sends an answer, damaged as a fault says.
func (m *Model) send(w http.ResponseWriter, a api, q Question, text string, f Fault) {
	switch f.Kind {
	case empty:
		text = ""
	case blank:
		text = " \n"
	case prose:
		text = "I am sorry, but I cannot help with that."
	case schema:
		text = `{"reply": 7, "reasoning": ["no"], "price": {"amount": 1}}`
	case null:
		text = "null"
	case cut:
		text = text[:len(text)/2]
	}
	body, err := json.Marshal(a.reply(q, text, f.Kind == cut))
	if err != nil {
		body = []byte("{}")
	}
	switch f.Kind {
	case "", script.Slow:
		m.note(func(s *State) { s.Answered++ })
	case truncated:
		body = body[:len(body)/2]
	case hollow:
		body = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// request has the fields of both APIs that are read here.
type request struct {
	Model    string          `json:"model"`
	System   json.RawMessage `json:"system"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	MaxTokens     int      `json:"max_tokens"`
	MaxCompletion int      `json:"max_completion_tokens"`
	Temperature   *float64 `json:"temperature"`
	Stream        bool     `json:"stream"`
}

func (r request) question(name string) (Question, error) {
	q := Question{
		API:         name,
		Model:       r.Model,
		MaxTokens:   cmp.Or(r.MaxTokens, r.MaxCompletion),
		Temperature: r.Temperature,
	}
	q.System = plain(r.System)
	for _, message := range r.Messages {
		if message.Role == "system" || message.Role == "developer" {
			q.System += plain(message.Content)
		} else {
			q.User += plain(message.Content)
		}
	}
	switch {
	case r.Model == "":
		return q, errors.New("you must provide a model parameter")
	case q.User == "":
		return q, errors.New("messages: at least one message is required")
	case r.Stream:
		return q, errors.New("stream: this look-alike does not stream")
	case r.MaxTokens != 0 && r.MaxCompletion != 0:
		return q, errors.New("max_tokens and max_completion_tokens exclude one another")
	}
	return q, nil
}

// plain returns the text of a content that is a string or a list of blocks.
func plain(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(content, &blocks) // other content has no text
	for _, block := range blocks {
		text += block.Text
	}
	return text
}

func decode(body []byte, name string) (request, Question, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return r, Question{}, fmt.Errorf("the body is not the JSON that is expected here: %w", err)
	}
	q, err := r.question(name)
	return r, q, err
}

type chat struct{}

func (chat) key(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func (chat) read(body []byte) (Question, error) {
	r, q, err := decode(body, "openai")
	if err == nil && r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2) {
		err = errors.New("temperature must be from 0 to 2")
	}
	return q, err
}

func (chat) reply(q Question, text string, cut bool) map[string]any {
	reason := "stop"
	if cut {
		reason = "length"
	}
	in, out := tokens(q.System+q.User), tokens(text)
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": q.Model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": reason, "message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out},
	}
}

func (chat) refusal(code, message string) map[string]any {
	return map[string]any{"error": map[string]any{"message": message, "type": code, "code": code, "param": nil}}
}

type messages struct{}

func (messages) key(r *http.Request) string { return r.Header.Get("X-Api-Key") }

func (messages) read(body []byte) (Question, error) {
	r, q, err := decode(body, "anthropic")
	switch {
	case err != nil:
	case q.MaxTokens < 1:
		err = errors.New("max_tokens: Field required")
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 1):
		err = errors.New("temperature: range: 0..1")
	}
	return q, err
}

func (messages) reply(q Question, text string, cut bool) map[string]any {
	reason := "end_turn"
	if cut {
		reason = "max_tokens"
	}
	content := []any{}
	if text != "" {
		content = append(content, map[string]any{"type": "text", "text": text})
	}
	return map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": q.Model, "content": content, "stop_reason": reason, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": tokens(q.System + q.User), "output_tokens": tokens(text)},
	}
}

func (messages) refusal(code, message string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": code, "message": message}}
}

// tokens estimates the number of tokens in a text.
func tokens(text string) int { return (len(text) + 3) / 4 }
