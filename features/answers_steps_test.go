package features

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"
)

// answerSteps check the latest answer, and the latest refusal.
func answerSteps(sc stepRegistry, w *world) {
	sc.Step(`^((?:from "[^"]*" |under the key "[^"]*" |as request "[^"]*" )*)the (merchant|buyer|holder of "[^"]*") sends ([A-Z]+) (\S+)(?: (.+))?$`, w.sends)

	sc.When(`^the merchant sends (\d+) times at once ([A-Z]+) (\S+)(?: (.+))?$`, w.sendsConcurrently)

	sc.Then(`^it answers (\d+)$`, w.statusIs)
	sc.Then(`^the answer shows:$`, w.answerShows)
	sc.Then(`^it is refused: (\d+) (\w+)$`, w.isRefused)
	sc.Then(`^the refusal names "([^"]*)"$`, w.refusalNames)
	sc.Then(`^the refusal names exactly:$`, w.refusalNamesExactly)
	sc.Then(`^the answer's headers show:$`, w.answerHeadersShow)
	sc.Then(`^the answer tells to come back with a bearer key$`, w.challengesForBearer)
}

func (w *world) sendsConcurrently(times int, method, path, body string) {
	path, body = w.expand(path), w.expand(body)
	w.runConcurrently(times, func(int) error { return w.send(method, path, body, nil) })
}

func (w *world) statusIs(status int) error {
	if got := w.recorder.last(); got.status != status {
		return fmt.Errorf("it answered %d: %.500s", got.status, got.body)
	}
	return nil
}

func (w *world) answerShows(table *godog.Table) error {
	if w.refusal != nil {
		return w.refusal
	}
	last := w.recorder.last()
	if err := w.checkTable(last.value(), table); err != nil {
		return fmt.Errorf("%w in the answer %d %.500s", err, last.status, last.body)
	}
	return nil
}

func (w *world) isRefused(status int, code string) error {
	if w.refusal == nil {
		return fmt.Errorf("it was not refused: %d %.500s", w.recorder.last().status, w.recorder.last().body)
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

// answerHeadersShow checks the headers of the latest answer. A numeric header compares as a number.
func (w *world) answerHeadersShow(table *godog.Table) error {
	header, values := w.recorder.last().header, map[string]any{}
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
	return w.checkTable(values, table)
}

func (w *world) challengesForBearer() error {
	if got := w.recorder.last().header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer") {
		return fmt.Errorf("WWW-Authenticate is %q", got)
	}
	return nil
}
