package features

import (
	"errors"
	"fmt"
	"strings"
)

func (w *world) tellsOfOrder(body string) error {
	return w.merchantSends("POST", ordersPath+"/$order/fulfillment", body)
}

func (w *world) sendsAtOnce(path string, times int) {
	path = w.expand(path)
	w.atOnce(times, func(int) error { return w.send("POST", path, "", nil) })
}

func (w *world) hasField(path, field, want string) error {
	if err := w.send("GET", w.expand(path), "", nil); err != nil {
		return err
	}
	return judge(w.tape.last().value(), field, want)
}

func (w *world) buyersReturnIs(status string) error {
	got, err := w.shopper.client.Return(w.ctx, w.shopper.Return.ReturnID)
	if err == nil && got.Status != status {
		err = fmt.Errorf("it is %s", got.Status)
	}
	return err
}

// answerTellsNoSecret: what the merchant sees of orders has no floor, target, cost or margin either.
func (w *world) answerTellsNoSecret() error {
	last := w.tape.last()
	var found error
	for _, name := range secretNames(last.value(), false) {
		found = errors.Join(found, fmt.Errorf("it names %q", name))
	}
	for _, p := range w.products {
		if p.Cost != nil && tellsAmount(last.body, *p.Cost) {
			found = errors.Join(found, errors.New("it tells the cost"))
		}
	}
	return found
}

func (w *world) answerNamesNoBuyer() error {
	body := string(w.tape.last().body)
	var found error
	for _, text := range w.personal() {
		if strings.Contains(body, text) {
			found = errors.Join(found, fmt.Errorf("it names %q", text))
		}
	}
	return found
}
