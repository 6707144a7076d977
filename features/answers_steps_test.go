package features

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// answerSteps check the latest answer, and the latest refusal.
func answerSteps(sc stepRegistry, s *scenario) {

	sc.Then(`^(?:it|the (?:acceptance|approval|cancellation|change|decision|evidence|label|payment|refund|return|rotation|void)) is refused,? because (.+)$`, s.isRefusedBecause)
}

func (s *scenario) sendsConcurrently(times int, method, path, body string) {
	path, body = s.expand(path), s.expand(body)
	s.runConcurrently(times, func(int) error { return s.send(method, path, body, nil) })
}

func (s *scenario) statusIs(status int) error {
	if got := s.recorder.last(); got.status != status {
		return fmt.Errorf("it answered %d: %.500s", got.status, got.body)
	}
	return nil
}

// answerShows checks fields of the latest answer, given as pairs of a path and what it must be.
func (s *scenario) answerShows(pairs ...string) error {
	if s.refusal != nil {
		return s.refusal
	}
	last := s.recorder.last()
	if err := s.checkFields(last.value(), pairs); err != nil {
		return fmt.Errorf("%w in the answer %d %.500s", err, last.status, last.body)
	}
	return nil
}

func (s *scenario) isRefused(status int, code string) error {
	if s.refusal == nil {
		return fmt.Errorf("it was not refused: %d %.500s", s.recorder.last().status, s.recorder.last().body)
	}
	s.refused = refusalOf(s.refusal)
	if s.refused == nil || s.refused.status != status || s.refused.code != code {
		return s.refusal
	}
	s.refusal = nil
	return nil
}

func (s *scenario) refusalNames(field string) error {
	switch {
	case s.refused == nil:
		return errors.New("nothing was refused")
	case s.refused.fields[field] == "":
		return fmt.Errorf("it names %v", s.refused.fields)
	}
	return nil
}

// answerHeadersShow checks the headers of the latest answer. A numeric header compares as a number.
func (s *scenario) answerHeadersShow(pairs ...string) error {
	header, values := s.recorder.last().header, map[string]any{}
	for pair := range slices.Chunk(pairs, 2) {
		name := pair[0]
		if len(header.Values(name)) == 0 {
			continue
		}
		values[name] = header.Get(name)
		if number, err := decode(header.Get(name)); err == nil {
			values[name] = number
		}
	}
	return s.checkFields(values, pairs)
}

func (s *scenario) challengesForBearer() error {
	if got := s.recorder.last().header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer") {
		return fmt.Errorf("WWW-Authenticate is %q", got)
	}
	return nil
}
