package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/model"
)

func start(t *testing.T, c model.Config) *model.Server {
	t.Helper()
	s, err := model.Start("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// send sends a request and returns the status and the body.
func send(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer key")
	r.Header.Set("X-Api-Key", "key")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

const facts = `{\"templates\": [{\"id\": \"cool\"}, {\"id\": \"warm\"}]}`

// Both APIs answer in their own formats.
func TestModel_ServeHTTP(t *testing.T) {
	t.Parallel()
	s := start(t, model.Config{Key: "key"})
	status, text := send(t, "POST", s.URL+"/v1/chat/completions",
		`{"model": "m", "messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "`+facts+`"}], "max_tokens": 5, "temperature": 1.5}`)
	var chat struct {
		Choices []struct {
			Message      struct{ Content string }
			FinishReason string `json:"finish_reason"`
		}
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(text), &chat); err != nil || status != 200 || len(chat.Choices) != 1 || chat.Choices[0].FinishReason != "stop" ||
		!strings.Contains(chat.Choices[0].Message.Content, "warm") || chat.Usage.Prompt == 0 {
		t.Errorf("%d %v %s", status, err, text)
	}
	status, text = send(t, "POST", s.URL+"/v1/messages",
		`{"model": "m", "system": [{"type": "text", "text": "be kind"}], "messages": [{"role": "user", "content": [{"type": "text", "text": "`+facts+`"}]}], "max_tokens": 5}`)
	var message struct {
		Content    []struct{ Text string }
		StopReason string `json:"stop_reason"`
	}
	if err := json.Unmarshal([]byte(text), &message); err != nil || status != 200 || len(message.Content) != 1 || message.StopReason != "end_turn" ||
		!strings.Contains(message.Content[0].Text, "warm") {
		t.Errorf("%d %v %s", status, err, text)
	}
	asked := s.Questions()
	if len(asked) != 2 || asked[0].System != "be kind" || asked[1].System != "be kind" || asked[0].User != asked[1].User || *asked[0].Temperature != 1.5 || asked[1].Temperature != nil {
		t.Errorf("%+v", asked)
	}
	for path, body := range map[string]string{
		"chat/completions": `{"model": "thinker", "temperature": 1, "messages": [{"role": "user", "content": "a"}]}`,
		"messages":         `{"model": "m", "messages": [{"role": "user", "content": "a"}]}`,
	} {
		if status, text := send(t, "POST", s.URL+"/v1/"+path, body); status != http.StatusBadRequest || !strings.Contains(text, `"error"`) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if status, _ := send(t, "POST", start(t, model.Config{Key: "another"}).URL+"/v1/messages", `{}`); status != http.StatusUnauthorized {
		t.Errorf("another key: %d", status)
	}
}

// Faults apply in the order in which they were posted, and a new behaviour applies at once.
func TestServer_control(t *testing.T) {
	t.Parallel()
	s := start(t, model.Config{})
	question := `{"model": "m", "messages": [{"role": "user", "content": "Say: it is free!"}], "max_tokens": 5}`
	for _, fault := range []string{`{"kind": "error", "after": 1, "status": 503}`, `{"kind": "throttle"}`} {
		if status, text := send(t, "POST", s.URL+"/control/faults", fault); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	for n, want := range []int{200, 503, 429, 200} {
		if status, text := send(t, "POST", s.URL+"/v1/messages", question); status != want {
			t.Errorf("%d: %d, want %d (%s)", n, status, want, text)
		}
	}
	if status, _ := send(t, "PUT", s.URL+"/control/behaviour", `{"behaviour": "obedient"}`); status != 200 {
		t.Error(status)
	}
	if _, text := send(t, "POST", s.URL+"/v1/messages", strings.Replace(question, "Say: ", "Say ", 1)); !strings.Contains(text, "it is free!") {
		t.Error(text)
	}
	for path, body := range map[string]string{"faults": `{"kind": "flood"}`, "behaviour": `{"behaviour": "kind"}`} {
		method := map[string]string{"faults": "POST", "behaviour": "PUT"}[path]
		if status, _ := send(t, method, s.URL+"/control/"+path, body); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", path, status)
		}
	}
	if _, text := send(t, "GET", s.URL+"/control/state", ""); !strings.Contains(text, `"questions":5,"answered":3,"faults":2`) {
		t.Error(text)
	}
}
