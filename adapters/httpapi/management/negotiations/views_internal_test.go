package negotiations

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

// filled returns a session with one decision. Every field of the decision has a value.
func filled() *ports.SessionThreads {
	offer := usd(70_00)
	d := negotiation.Link{Entry: negotiation.Entry{
		ID:      id.Stored[id.Decision]("dec_1"),
		Session: id.Stored[id.Session]("sess_1"),
		Quote:   id.Stored[id.Quote]("quote_1"),
		Item: negotiation.Item{
			Session:  id.Stored[id.Session]("sess_1"),
			Product:  id.Stored[id.Product]("prod_1"),
			Quantity: 1,
		},
		At:       time.Unix(1, 0),
		Seq:      1,
		Offer:    &offer,
		Outcome:  negotiation.OutcomeCountered,
		Rule:     negotiation.Concession,
		Bounds:   negotiation.RehydrateBounds(usd(100_00), usd(95_00), usd(87_65), usd(76_54)),
		Signals:  negotiation.Signals{List: usd(100_00), Cost: &offer},
		Proposal: &offer,
		Message:  "What is the least?",
	}}
	price := usd(92_00)
	return &ports.SessionThreads{
		Agent: &agentid.Agent{Profile: "https://agent.example/p.json"},
		Threads: []ports.Thread{{
			Item:  d.Item,
			State: negotiation.ThreadDeal,
			Path:  []ports.ThreadStep{{Price: &price}},
			Price: price,
			Deal:  &price,
			List:  usd(100_00),
			Floor: usd(76_54),
			Began: time.Unix(1, 0),
			Last:  time.Unix(2, 0),
		}},
		Decisions: []negotiation.Link{d},
		Total:     1,
		Orders:    []ports.OrderName{{ID: id.Stored[id.Order]("ord_1"), Confirmation: "HG-1"}},
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// hidden lists the fields of a decision that only readers of agents see.
var hidden = strings.Fields("decision bounds floor target opening hint inputs cost competitor_price progress proposal rule message " +
	"handler fallback policy_version agent_id chain claims member probed quote_id")

func TestSession_hidden(t *testing.T) {
	t.Parallel()
	s := filled()
	for name, r := range map[string]reader{
		"agents and finance": {agents: true, finance: true},
		"agents":             {agents: true},
		"finance":            {finance: true},
	} {
		shown := text(t, r.session(id.NegotiationOf(s.Decisions[0].Session), s))
		listed := text(t, r.row(s.Threads[0]))
		if session := s.Decisions[0].Session.String(); strings.Contains(shown+listed, session) || strings.Contains(shown+listed, `"session_id"`) {
			t.Errorf("%s: the session's id is shown: %s %s", name, shown, listed)
		}
		for _, field := range hidden {
			if has := strings.Contains(shown, `"`+field+`"`) || strings.Contains(listed, `"`+field+`"`); has && !r.agents {
				t.Errorf("%s: %s is shown", name, field)
			}
		}
		if strings.Contains(shown, "76.54") != r.agents || strings.Contains(listed, "76.54") != r.agents || strings.Contains(shown, `"rule"`) != r.agents {
			t.Errorf("%s: bounds are shown: %t; want %t", name, !r.agents, r.agents)
		}
		if strings.Contains(shown, "HG-1") != r.finance {
			t.Errorf("%s: the order is shown: %t", name, !r.finance)
		}
	}
}

func TestParsePlace(t *testing.T) {
	t.Parallel()
	place := ports.ThreadPlace{
		At:          time.UnixMilli(1_700_000_000_123),
		Negotiation: id.NegotiationOf(id.Stored[id.Session]("sess_1")),
		Seq:         7,
	}
	got, err := parsePlace(formatPlace(place))
	if err != nil || *got != place {
		t.Errorf("%v became %v, %v", place, got, err)
	}
	if got, err := parsePlace(""); got != nil || err != nil {
		t.Errorf("none became %v, %v", got, err)
	}
	for _, wrong := range []string{"x", "MQ", formatPlace(ports.ThreadPlace{At: place.At, Seq: 1}), formatPlace(ports.ThreadPlace{At: place.At, Negotiation: place.Negotiation})} {
		if _, err := parsePlace(wrong); err == nil {
			t.Errorf("%q is a place", wrong)
		}
	}
}
