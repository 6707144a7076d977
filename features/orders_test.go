package features

import (
	"errors"
	"fmt"
	"strings"
)

func (w *world) reportsFulfillment(body string) error {
	return w.merchantSends("POST", ordersPath+"/$order/fulfillment", body)
}

func (w *world) postsConcurrently(path string, times int) {
	path = w.expand(path)
	w.runConcurrently(times, func(int) error { return w.send("POST", path, "", nil) })
}

func (w *world) fieldIs(path, field, want string) error {
	if err := w.send("GET", w.expand(path), "", nil); err != nil {
		return err
	}
	return checkValue(w.recorder.last().value(), field, want)
}

func (w *world) buyersReturnIs(status string) error {
	got, err := w.shopper.client.Return(w.ctx, w.shopper.Return.ReturnID)
	if err == nil && got.Status != status {
		err = fmt.Errorf("it is %s", got.Status)
	}
	return err
}

// answerHasNoSecret checks that the merchant's view of orders has no floor, target, cost or margin either.
func (w *world) answerHasNoSecret() error {
	last := w.recorder.last()
	var found error
	for _, name := range secretNames(last.value(), false) {
		found = errors.Join(found, fmt.Errorf("it names %q", name))
	}
	for _, p := range w.products {
		if p.Cost != nil && containsAmount(last.body, *p.Cost) {
			found = errors.Join(found, errors.New("it tells the cost"))
		}
	}
	return found
}

func (w *world) answerHasNoPersonalData() error {
	body := string(w.recorder.last().body)
	var found error
	for _, text := range w.personalData() {
		if strings.Contains(body, text) {
			found = errors.Join(found, fmt.Errorf("it names %q", text))
		}
	}
	return found
}
