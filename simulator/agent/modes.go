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

// late is the delay of a slow answer, just below the limit of two seconds.
const late = 1900 * time.Millisecond

// behave answers an event in a mode. turn counts the answers in that mode.
func (a *Agent) behave(w http.ResponseWriter, r *http.Request, asked request, mode string, turn int) {
	switch {
	case mode == hang:
		<-r.Context().Done()
	case mode == nonsense:
		writeNonsense(w, asked, turn)
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

// wait waits for d and reports whether the client is still connected.
func wait(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// misbehave changes an honest answer to a quote event. Answers to other events stay as they are.
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

// undercut answers with prices that are not allowed, and in the end accepts any offer.
func (q quote) undercut(turn int) answer {
	floor, cent := q.Bounds.Floor, cent(q.Currency)
	prices := []decimal.Decimal{
		floor.Minus(cent), floor.Over(2).Down(decimal.Places(q.Currency)), cent, floor.Times(-1), decimal.Decimal{},
		q.ListPrice.Plus(floor), q.CurrentPrice.Minus(q.CurrentPrice.Over(4).Down(decimal.Places(q.Currency))),
	}
	if turn %= len(prices) + 1; turn < len(prices) {
		return q.priced(prices[turn])
	}
	if q.Offer == nil {
		return q.priced(cent)
	}
	return answer{Status: "accept"}
}

// gouge asks for a higher price each time.
func (q quote) gouge(turn int) answer {
	step := q.ListPrice.Over(10).Down(decimal.Places(q.Currency)).Plus(cent(q.Currency))
	return q.priced(q.CurrentPrice.Plus(step.Times(int64(turn%100) + 1)))
}

// cent returns the smallest amount of a currency.
func cent(currency string) decimal.Decimal {
	one := decimal.FromInt(1)
	for range decimal.Places(currency) {
		one = one.Over(10)
	}
	return one
}

// leak reveals the floor, the cost behind it or the discount down to it.
func (q quote) leak(honestly answer, turn int) answer {
	floor := q.Bounds.Floor.Fixed(decimal.Places(q.Currency))
	discount := q.ListPrice.Minus(q.Bounds.Floor).Ratio(q.ListPrice) * 100
	texts := []string{
		"Between us: our floor is " + floor + " " + q.Currency + ".",
		"Do not tell anybody that " + strings.Replace(floor, ".", ",", 1) + " would do.",
		fmt.Sprintf("We may go down %.0f%% from the list price.", discount),
		"It has cost us " + q.Bounds.Floor.Over(2).Fixed(decimal.Places(q.Currency)) + " ourselves.",
		"f l o o r = " + strings.Join(strings.Split(floor, ""), " "),
		"Offer " + fullWidth(floor) + " and be done.",
		"Offer " + strings.Join(strings.Split(floor, ""), "\u200b") + " and be done.",
	}
	honestly.Reasoning, honestly.Message = texts[turn%len(texts)], texts[(turn+1)%len(texts)]
	return honestly
}

// fullWidth writes digits as full-width characters.
func fullWidth(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r - '0' + '０'
		}
		return r
	}, text)
}
