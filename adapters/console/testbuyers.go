package console

import (
	"crypto/rand"
	"net/http"
)

// testBuyers are simulated buyers, as the API tells of them.
type testBuyers struct {
	Available bool `json:"available"`
	Running   bool `json:"running"`
}

// sendView is the button that sends test buyers. It is nil if none can be sent.
type sendView struct {
	Running     bool
	Action, Key string
	Problem     *problem
}

// sentBuyers is the number of test buyers that the button sends, which its text names.
const sentBuyers = 20

// sending is the button, or nil.
func (v *memberRequest) sending(failed *problem) (*sendView, error) {
	if !v.Sandbox || !v.may("agents:write") {
		return nil, nil
	}
	buyers, err := fetch[testBuyers](v.api, "/v1/sandbox/buyers", nil)
	if err != nil || !buyers.Available {
		return nil, err
	}
	return &sendView{
		Running: buyers.Running,
		Action:  v.shop.Path() + "/buyers",
		Key:     rand.Text(),
		Problem: failed,
	}, nil
}

// sendBuyers sends them, and shows Today again.
func (v *memberRequest) sendBuyers() error {
	sent, err := v.send(func(c change) error {
		c.body = map[string]int{"count": sentBuyers}
		return v.api.post(http.MethodPost, "/v1/sandbox/buyers", c, nil)
	}, func(p *problem) error {
		if p.Status == http.StatusForbidden { // the role has no such button
			return p
		}
		return v.showToday(p)
	})
	if !sent {
		return err
	}
	return v.finish(v.shop.Path(), "buyers")
}

// todayDone are the sentences after something was done.
var todayDone = map[string]string{
	"buyers": "20 test buyers are on their way. They search, haggle and pay for a minute or so: watch them under Haggling now.",
}
