package console

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

type suggestView struct {
	studioPage
	Address string
	Key     string
	Problem *problem
	Result  *learntView
}

// learntView is what was learnt from the record.
type learntView struct {
	Lead, Draft string
	Facts       []fact
	Buyers      []fact
	Effect      *effectView
}

// learnt is what the API proposes.
type learnt struct {
	Negotiations int `json:"negotiations"`
	Buyers       []struct {
		Manner string  `json:"manner"`
		Share  float64 `json:"share"`
	} `json:"buyers"`
	Before learntEarnings `json:"before"`
	After  learntEarnings `json:"after"`
	Gain   struct {
		Mean float64 `json:"mean"`
		Low  float64 `json:"low"`
		High float64 `json:"high"`
	} `json:"gain"`
	PerMonth *struct {
		Low          json.Number `json:"low"`
		Expected     json.Number `json:"expected"`
		High         json.Number `json:"high"`
		Negotiations int         `json:"negotiations"`
	} `json:"per_month"`
	Replay  replayed `json:"replay"`
	Better  bool     `json:"better"`
	Version *int     `json:"policy_version"`
}

type learntEarnings struct {
	DealRate float64 `json:"deal_rate"`
	Margin   float64 `json:"margin"`
}

// mannerWords say how buyers haggle.
var mannerWords = map[string]string{
	"timed":     "Give way with time",
	"firm":      "Hold firm",
	"reactive":  "Move as you move",
	"probing":   "Try prices out",
	"splitting": "Split the difference",
	"erratic":   "Follow no pattern",
}

func (s *studio) suggest() error { return s.showSuggest(nil, nil) }

func (s *studio) showSuggest(result *learnt, failed *problem) error {
	if !s.may("agents:write") {
		return errReadOnly
	}
	view := &suggestView{
		studioPage: s.studioPage("Suggest from my record"),
		Address:    s.address("/suggest", nil),
		Key:        rand.Text(),
		Problem:    failed,
	}
	if result != nil {
		view.Result = s.learntView(result)
	}
	return s.showAfter(failed, "suggest", view)
}

// learn has the agent propose a policy.
func (s *studio) learn() error {
	var result learnt
	sent, err := s.send(func(c change) error {
		c.body = map[string]any{"note": "Suggested from the record"}
		return s.api.post(http.MethodPost, s.agentPath("/tune"), c, &result)
	}, func(p *problem) error { return s.showSuggest(nil, p) })
	if !sent {
		return err
	}
	return s.showSuggest(&result, nil)
}

func (s *studio) learntView(l *learnt) *learntView {
	view := &learntView{
		Lead: "Learnt from " + count(l.Negotiations, "negotiation", "negotiations") + ". No other way to come down is better than yours with near certainty.",
		Facts: []fact{
			{Label: "Buyers who agree", Value: share(l.Before.DealRate) + " → " + share(l.After.DealRate)},
			{Label: "Margin per negotiation, of the list price", Value: share(l.Before.Margin) + " → " + share(l.After.Margin)},
			{Label: "Gain, with 95% certainty", Value: signed(100*l.Gain.Low, "") + " to " + signed(100*l.Gain.High, " pts")},
		},
		Effect: s.recordView(&l.Replay),
	}
	if m := l.PerMonth; m != nil {
		w := s.shop.words
		view.Facts = append(view.Facts, fact{
			Label: "Gain per month, for your " + count(m.Negotiations, "negotiation", "negotiations") + " in 30 days",
			Value: w.change(m.Expected) + ", with 95% certainty " + w.change(m.Low) + " to " + w.change(m.High),
		})
	}
	if l.Version != nil {
		view.Lead = "Learnt from " + count(l.Negotiations, "negotiation", "negotiations") + ", and saved as " + versionWord(*l.Version) +
			". It is not in force. Expect " + signed(100*l.Gain.Mean, " pts") + " of margin per negotiation."
		view.Draft = s.address("", url.Values{"from": {strconv.Itoa(*l.Version)}})
	}
	for _, b := range l.Buyers {
		word := mannerWords[b.Manner]
		if word == "" {
			word = b.Manner
		}
		view.Buyers = append(view.Buyers, fact{Label: word, Value: share(b.Share)})
	}
	return view
}
