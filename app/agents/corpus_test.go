package agents_test

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/ports"
)

// messages returns testdata/messages.jsonl: messages of buyers that try to manipulate a model. cmd/boot/models sends them over
// HTTP to models that obey.
func messages(t *testing.T) []string {
	t.Helper()
	file, err := os.Open("testdata/messages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all []string
	kinds := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := struct {
			Kind, Message string
			Repeat        int
		}{Repeat: 1}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		kinds[line.Kind]++
		all = append(all, strings.Repeat(line.Message, line.Repeat))
	}
	if len(all) < 150 || len(kinds) < 10 {
		t.Fatalf("%d messages of the kinds %v", len(all), kinds)
	}
	return all
}

// The message beside an offer is in no prompt, so no model can obey it: requests and answers are the same with and without it.
func TestStrategy_Propose_messageNotInPrompt(t *testing.T) {
	t.Parallel()
	negotiate := func(message string) ([]ports.ModelRequest, agent.Texts, agent.QuoteAnswer) {
		g := &fakeModel{writes: func(r ports.ModelRequest) (string, error) {
			if strings.Contains(r.User, `"from"`) {
				return `{"action": "counter", "price": "1299.90"}`, nil
			}
			return choice("house-counter-1"), nil
		}}
		w, s := withModel(g)
		said := w.Word(ports.NewOutbound(t.Context()), allOn, wordInput("en-US", countered))
		proposed, err := s.Propose(ports.NewOutbound(t.Context()), allOn, quoteInput(offer, message))
		if err != nil {
			t.Fatal(err)
		}
		return g.requests(), said, proposed
	}
	asked, said, proposed := negotiate("")
	if len(asked) != 2 || said.Message == "" || proposed.Decision == nil {
		t.Fatalf("without a message: %+v %+v %+v", asked, said, proposed)
	}
	for _, message := range messages(t) {
		a, w, p := negotiate(message)
		if !reflect.DeepEqual(a, asked) || w != said || p != proposed {
			t.Errorf("%.80q: %+v %+v %+v", message, a, w, p)
		}
	}
}
