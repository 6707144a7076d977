package features

import (
	"errors"
	"fmt"
	"strings"
)

// ordersContext fulfills orders.
type ordersContext struct{ *scenario }

func (c *ordersContext) reportsFulfillment(body string) error {
	return c.merchantSends("POST", ordersPath+"/$order/fulfillment", body)
}

func (c *ordersContext) postsConcurrently(path string, times int) {
	path = c.expand(path)
	c.runConcurrently(times, func(int) error { return c.send("POST", path, "", nil) })
}

func (c *ordersContext) fieldIs(path, field, want string) error {
	if err := c.send("GET", c.expand(path), "", nil); err != nil {
		return err
	}
	return checkValue(c.recorder.last().value(), field, want)
}

func (c *ordersContext) buyersReturnIs(status string) error {
	got, err := c.shopper.client.Return(c.ctx, c.shopper.Return.ReturnID)
	if err == nil && got.Status != status {
		err = fmt.Errorf("it is %s", got.Status)
	}
	return err
}

// answerHasNoSecret checks that the merchant's view of orders has no floor, target, cost or margin either.
func (c *ordersContext) answerHasNoSecret() error {
	last := c.recorder.last()
	var found error
	for _, name := range secretNames(last.value(), false) {
		found = errors.Join(found, fmt.Errorf("it names %q", name))
	}
	for _, p := range c.products {
		if p.Cost != nil && containsAmount(last.body, *p.Cost) {
			found = errors.Join(found, errors.New("it tells the cost"))
		}
	}
	return found
}

func (c *ordersContext) answerHasNoPersonalData() error {
	body := string(c.recorder.last().body)
	var found error
	for _, text := range c.finance.personalData() {
		if strings.Contains(body, text) {
			found = errors.Join(found, fmt.Errorf("it names %q", text))
		}
	}
	return found
}
