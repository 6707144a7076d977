package features

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"
)

// answerSteps judge any answer, and any refusal.
func answerSteps(sc book, w *world) {
	sc.Step(`^((?:from "[^"]*" |under the key "[^"]*" |as request "[^"]*" )*)the (merchant|buyer|holder of "[^"]*") sends ([A-Z]+) (\S+)(?: (.+))?$`, w.sends)

	sc.When(`^the merchant sends (\d+) times at once ([A-Z]+) (\S+)(?: (.+))?$`, w.sendsTimes)

	sc.Then(`^it answers (\d+)$`, w.answers)
	sc.Then(`^the answer shows:$`, w.answerShows)
	sc.Then(`^it is refused: (\d+) (\w+)$`, w.isRefused)
	sc.Then(`^the refusal names "([^"]*)"$`, w.refusalNames)
	sc.Then(`^the refusal names exactly:$`, w.refusalNamesExactly)
	sc.Then(`^the answer's headers show:$`, w.headersShow)
	sc.Then(`^the answer tells to come back with a bearer key$`, w.wantsBearer)
}

func (w *world) sendsTimes(times int, method, path, body string) {
	path, body = w.expand(path), w.expand(body)
	w.atOnce(times, func(int) error { return w.send(method, path, body, nil) })
}

func (w *world) answers(status int) error {
	if got := w.tape.last(); got.status != status {
		return fmt.Errorf("it answered %d: %.500s", got.status, got.body)
	}
	return nil
}

func (w *world) answerShows(table *godog.Table) error {
	if w.refusal != nil {
		return w.refusal
	}
	last := w.tape.last()
	if err := w.judgeTable(last.value(), table); err != nil {
		return fmt.Errorf("%w in the answer %d %.500s", err, last.status, last.body)
	}
	return nil
}

func (w *world) isRefused(status int, code string) error {
	if w.refusal == nil {
		return fmt.Errorf("it was not refused: %d %.500s", w.tape.last().status, w.tape.last().body)
	}
	w.refused = refusalOf(w.refusal)
	if w.refused == nil || w.refused.status != status || w.refused.code != code {
		return w.refusal
	}
	w.refusal = nil
	return nil
}

func (w *world) refusalNames(field string) error {
	switch {
	case w.refused == nil:
		return errors.New("nothing was refused")
	case w.refused.fields[field] == "":
		return fmt.Errorf("it names %v", w.refused.fields)
	}
	return nil
}

func (w *world) refusalNamesExactly(table *godog.Table) error {
	if w.refused == nil {
		return errors.New("nothing was refused")
	}
	var want []string
	for _, row := range table.Rows {
		want = append(want, row.Cells[0].Value)
	}
	if len(want) != len(w.refused.fields) || slices.ContainsFunc(want, func(f string) bool { return w.refused.fields[f] == "" }) {
		return fmt.Errorf("it names %v", w.refused.fields)
	}
	return nil
}

// headersShow reads a header that is a number as one.
func (w *world) headersShow(table *godog.Table) error {
	header, values := w.tape.last().header, map[string]any{}
	for _, row := range table.Rows {
		name := row.Cells[0].Value
		if len(header.Values(name)) == 0 {
			continue
		}
		values[name] = header.Get(name)
		if number, err := decode(header.Get(name)); err == nil {
			values[name] = number
		}
	}
	return w.judgeTable(values, table)
}

func (w *world) wantsBearer() error {
	if got := w.tape.last().header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer") {
		return fmt.Errorf("WWW-Authenticate is %q", got)
	}
	return nil
}
