package llm_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/llm"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// Timeouts of one merchant's requests suspend the model only for that merchant's group.
func TestComplete_timeoutsOfAnotherGroup(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "long") {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}`)
	}))
	defer s.Close()
	c := llm.New(llm.Options{OpenAIURL: s.URL})
	ask := func(group, prompt string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := c.Complete(ports.NewOutbound(ctx), ports.ModelRequest{
			Provider:  "openai",
			Model:     "m",
			User:      prompt,
			MaxTokens: 9,
			Group:     group,
		})
		return err
	}
	for range 5 {
		if err := ask("one reasons", "long"); !fault.Is(err, "model_timeout") {
			t.Fatal(err)
		}
	}
	if err := ask("one reasons", "long"); !fault.Is(err, "model_unreachable") || c.Suspended() != 1 {
		t.Errorf("%v, %d suspended", err, c.Suspended())
	}
	if err := ask("other wording", "short"); err != nil {
		t.Errorf("another merchant's question: %v", err)
	}
}
