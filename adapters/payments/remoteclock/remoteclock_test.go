package remoteclock

import (
	"net/http"
	"testing"
	"time"
)

type fixedClock time.Time

func (c fixedClock) Now() time.Time { return time.Time(c) }

type stubTransport http.Header

func (a stubTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{Header: http.Header(a)}, nil
}

func TestClock(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	dated := func(at time.Time) stubTransport { return stubTransport{"Date": {at.Format(http.TimeFormat)}} }
	for name, c := range map[string]struct {
		answer        stubTransport
		ahead         time.Duration
		known         bool
		least, most   time.Duration // age of a minute ago
		before, after time.Duration // span around now
	}{
		"ahead":   {dated(now.Add(time.Hour)), time.Hour + time.Second/2, true, time.Minute, time.Hour + time.Minute + time.Second/2, 0, time.Hour + time.Second/2},
		"behind":  {dated(now.Add(-time.Hour)), -time.Hour + time.Second/2, true, -time.Hour + time.Minute + time.Second/2, time.Minute, -time.Hour + time.Second/2, 0},
		"no date": {stubTransport{}, 0, false, time.Minute, time.Minute, 0, 0},
		"garbage": {stubTransport{"Date": {"noon"}}, 0, false, time.Minute, time.Minute, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			clock := New(fixedClock(now), c.answer)
			if _, err := clock.RoundTrip(&http.Request{}); err != nil {
				t.Fatal(err)
			}
			if ahead, known := clock.Skew(); ahead != c.ahead || known != c.known {
				t.Errorf("skew %v, %v, want %v, %v", ahead, known, c.ahead, c.known)
			}
			if at := clock.ProviderTime(); !at.Equal(now.Add(c.ahead)) {
				t.Errorf("provider's time %v", at)
			}
			if least, most := clock.Age(now.Add(-time.Minute)); least != c.least || most != c.most {
				t.Errorf("age %v to %v, want %v to %v", least, most, c.least, c.most)
			}
			if from, to := clock.Span(now); from.Sub(now) != c.before || to.Sub(now) != c.after {
				t.Errorf("span %v to %v, want %v to %v", from.Sub(now), to.Sub(now), c.before, c.after)
			}
		})
	}
}
