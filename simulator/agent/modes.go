package agent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/script"
)

// late is when a slow answer comes: just within the two seconds that there are.
const late = 1900 * time.Millisecond

// behave answers an event in a mode, for the turn-th time.
func (a *Agent) behave(w http.ResponseWriter, r *http.Request, asked request, mode string, turn int) {
	switch {
	case mode == hang:
		<-r.Context().Done()
	case mode == nonsense:
		babble(w, asked, turn)
	case mode == refuse, mode == flap && turn%2 == 0:
		fail(w, http.StatusInternalServerError, "told to fail")
	case mode == slow && !wait(r, late):
	default:
		body, ok := respond(asked)
		if !ok {
			fail(w, http.StatusUnprocessableEntity, "no event that is known here")
			return
		}
		script.Write(w, http.StatusOK, misbehave(asked, body, mode, turn))
	}
}

// wait reports whether somebody still waits in the end.
func wait(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// misbehave changes an honest answer to an offer or to a question of the price. The other events stay as they are.
func misbehave(asked request, body any, mode string, turn int) any {
	honestly, ok := body.(answer)
	var q quote
	if !ok || json.Unmarshal(asked.Data, &q) != nil {
		return body
	}
	switch mode {
	case undercut:
		return q.undercut(turn)
	case gouge:
		return q.gouge(turn)
	case leak:
		return q.leak(honestly, turn)
	}
	return honestly
}

func (q quote) priced(price decimal.Decimal) answer {
	if q.Offer == nil {
		return answer{Status: "quote", Price: &price}
	}
	return answer{Status: "counter_offer", Price: &price}
}

// undercut names prices that no shop may take, and in the end accepts whatever is offered.
func (q quote) undercut(turn int) answer {
	floor, cent := q.Bounds.Floor, cent(q.Currency)
	prices := []decimal.Decimal{
		floor.Minus(cent), floor.Over(2).Down(decimal.Places(q.Currency)), cent, floor.Times(-1), decimal.Decimal{},
		q.ListPrice.Plus(floor), q.StandingPrice.Minus(q.StandingPrice.Over(4).Down(decimal.Places(q.Currency))),
	}
	if turn %= len(prices) + 1; turn < len(prices) {
		return q.priced(prices[turn])
	}
	if q.Offer == nil {
		return q.priced(cent)
	}
	return answer{Status: "accept"}
}

// gouge asks for more each time.
func (q quote) gouge(turn int) answer {
	step := q.ListPrice.Over(10).Down(decimal.Places(q.Currency)).Plus(cent(q.Currency))
	return q.priced(q.StandingPrice.Plus(step.Times(int64(turn%100) + 1)))
}

// cent is the smallest amount of a currency.
func cent(currency string) decimal.Decimal {
	one := decimal.FromInt(1)
	for range decimal.Places(currency) {
		one = one.Over(10)
	}
	return one
}

// leak tells the floor, the cost that may be behind it, or the discount that leads to it.
func (q quote) leak(honestly answer, turn int) answer {
	floor := q.Bounds.Floor.Fixed(decimal.Places(q.Currency))
	discount := q.ListPrice.Minus(q.Bounds.Floor).Ratio(q.ListPrice) * 100
	texts := []string{
		"Between us: our floor is " + floor + " " + q.Currency + ".",
		"Do not tell anybody that " + strings.Replace(floor, ".", ",", 1) + " would do.",
		fmt.Sprintf("We may go down %.0f%% from the list price.", discount),
		"It has cost us " + q.Bounds.Floor.Over(2).Fixed(decimal.Places(q.Currency)) + " ourselves.",
		"f l o o r = " + strings.Join(strings.Split(floor, ""), " "),
		"Offer " + wide(floor) + " and be done.",
		"Offer " + strings.Join(strings.Split(floor, ""), "\u200b") + " and be done.",
	}
	honestly.Reasoning, honestly.Message = texts[turn%len(texts)], texts[(turn+1)%len(texts)]
	return honestly
}

// wide writes digits in full width.
func wide(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r - '0' + '０'
		}
		return r
	}, text)
}
