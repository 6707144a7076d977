package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func (c *remoteAgentsContext) handlerWasAsked(times int, what string) error {
	event, known := handlerEvents[what]
	if got := c.handler.State().Events["acp."+event]; got != times || !known {
		return fmt.Errorf("it was asked %d times", got)
	}
	return nil
}

// handlerWasAskedAtMost allows one more request per pause (the seconds that the server suspends a failing handler), because a
// scenario may take longer than a pause on a busy machine.
func (c *remoteAgentsContext) handlerWasAskedAtMost(times, pause int) error {
	total := 0
	for _, n := range c.handler.State().Events {
		total += n
	}
	if most := times + int(time.Since(c.offersBegan).Seconds())/pause; total < times || total > most {
		return fmt.Errorf("it was asked %d times, and may be asked %d to %d", total, times, most)
	}
	return nil
}

func (c *remoteAgentsContext) allHaveOrders() error {
	if len(c.deals) == 0 {
		return errors.New("there is no deal")
	}
	return checkValue(c.merchantReads("/v1/orders?limit=100"), "meta.total", fmt.Sprint(len(c.deals)))
}

// merchantReads returns the answer to a GET request of the merchant, or nil if it was refused.
func (c *remoteAgentsContext) merchantReads(path string) any {
	if c.send("GET", path, "", nil) != nil {
		return nil
	}
	return c.recorder.last().value()
}

// quoteAnswers returns all successful answers to buyers' quote requests.
func (c *remoteAgentsContext) quoteAnswers() (all []map[string]any) {
	for _, a := range c.recorder.all() {
		if value, ok := a.value().(map[string]any); ok && a.toBuyer && strings.HasSuffix(a.path, "/acp/quote") && a.status == 200 {
			all = append(all, value)
		}
	}
	return all
}

func (c *remoteAgentsContext) pricesWereBetween(floor, list string) error {
	var wrong error
	seen := 0
	for _, answer := range c.quoteAnswers() {
		for _, field := range []string{"final_price", "counter_price", "offered_price"} {
			if written, ok := answer[field]; ok {
				price, err := decimal.Parse(fmt.Sprint(written))
				wrong, seen = errors.Join(wrong, err, between(price, floor, list)), seen+1
			}
		}
	}
	for _, deal := range c.deals {
		wrong = errors.Join(wrong, between(deal.UnitPrice, floor, list))
	}
	if seen == 0 {
		return errors.New("no price was named")
	}
	return wrong
}

// textsShowOnlyAnswerNumbers checks that a text contains no number that the fields of its answer do not show.
func (c *remoteAgentsContext) textsShowOnlyAnswerNumbers() error {
	var wrong error
	seen := 0
	for _, answer := range c.quoteAnswers() {
		shown := numbersIn(answer)
		for _, field := range []string{"message", "reasoning", "reason"} {
			text, _ := answer[field].(string)
			if text != "" {
				seen++
			}
			for _, number := range numberPattern.FindAllString(normalizeDigits(text), -1) {
				if !slices.Contains(shown, number) {
					wrong = errors.Join(wrong, fmt.Errorf("%q is in %q, and nowhere in %s", number, text, encode(answer)))
				}
			}
		}
	}
	if seen == 0 {
		return errors.New("there was no text")
	}
	return wrong
}

var numberPattern = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// normalizeDigits undoes tricks that hide numbers in a text: it removes invisible characters and spaces between digits, and
// converts full-width digits and decimal commas.
func normalizeDigits(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r):
			return -1
		case r >= '０' && r <= '９':
			return r - '０' + '0'
		case r == ',':
			return '.'
		}
		return r
	}, text)
	var plain strings.Builder
	for i, r := range text {
		if r == ' ' && i > 0 && i+1 < len(text) && strings.ContainsRune(digits, rune(text[i-1])) && strings.ContainsRune(digits, rune(text[i+1])) {
			continue
		}
		plain.WriteRune(r)
	}
	return plain.String()
}

const digits = "0123456789."

// numbersIn returns the numbers in an answer's fields, as they are and with two decimals, and the quantity 1.
func numbersIn(answer map[string]any) []string {
	all := []string{"1"}
	add := func(value any) {
		if price, err := decimal.Parse(fmt.Sprint(value)); err == nil {
			all = append(all, price.String(), price.Fixed(2))
		}
	}
	for _, value := range answer {
		switch value := value.(type) {
		case json.Number:
			add(value)
		case map[string]any:
			for _, inner := range value {
				if number, ok := inner.(json.Number); ok {
					add(number)
				}
			}
		}
	}
	return all
}

// noBuyerSaw checks that no answer to a buyer contains one of the comma-separated texts.
func (c *remoteAgentsContext) noBuyerSaw(list string) error {
	var wrong error
	for _, a := range c.recorder.all() {
		for text := range strings.SplitSeq(list, ", ") {
			if a.toBuyer && strings.Contains(string(a.body), text) {
				wrong = errors.Join(wrong, fmt.Errorf("%s has %s: %s", a.path, text, a.body))
			}
		}
	}
	return wrong
}

// decisionsName compares the distinct values of a field over an agent's decisions with a list such as "agent_refused, none".
func (c *remoteAgentsContext) decisionsName(agent, field, want string) error {
	value := c.merchantReads(c.expand(agentsPath + "/" + agentVariables[agent] + "/decisions?limit=100"))
	all, _ := valueAt(value, "data.*."+field)
	list, ok := all.([]any)
	if !ok || len(list) == 0 {
		return fmt.Errorf("there is no record in %s", encode(value))
	}
	names := make([]string, len(list))
	for i, one := range list {
		names[i] = "none"
		if one != nil {
			names[i] = fmt.Sprint(one)
		}
	}
	const late = "agent_timeout"
	if strings.Contains(want, "none") && !strings.Contains(want, late) {
		names = slices.DeleteFunc(names, func(name string) bool { return name == late }) // timeouts happen if the machine stalls
	}
	slices.Sort(names)
	if got := strings.Join(slices.Compact(names), ", "); got != want {
		return fmt.Errorf("it names %s", got)
	}
	return nil
}
