package tuning

import (
	"math"
	"testing"
)

// The offers of a buyer with V .90, first offer .60 and five rounds, against scripted answers.
func TestAspire_everyManner(t *testing.T) {
	t.Parallel()
	type answer struct {
		price    float64
		rejected bool
	}
	stays, comes := answer{1, true}, answer{.98, false}
	for name, c := range map[string]struct {
		twin    Twin
		answers []answer
		want    []float64
	}{
		"timed":                          {Twin{Manner: Timed, Beta: 3}, []answer{stays, stays, stays, stays}, []float64{.6, .675, .75, .825, .9}},
		"firm":                           {Twin{Manner: Firm}, []answer{stays, comes, stays, stays}, []float64{.6, .6, .6, .6, .6}},
		"reactive, to rejections":        {Twin{Manner: Reactive}, []answer{stays, stays, {.95, true}, stays}, []float64{.6, .63, .66, .71, .74}},
		"reactive, to counters":          {Twin{Manner: Reactive}, []answer{comes, {.95, false}, {.95, false}, {.9, false}}, []float64{.6, .62, .65, .65, .7}},
		"probing, where all is rejected": {Twin{Manner: Probing}, []answer{stays, stays, stays, stays}, []float64{.6, .75, .825, .8625, .9}},
		"probing":                        {Twin{Manner: Probing}, []answer{stays, comes, {.98, true}, comes}, []float64{.6, .75, .675, .7125, .7125}},
		"splitting by a quarter":         {Twin{Manner: Splitting}, []answer{stays, comes, stays, stays}, []float64{.6, .7, .77, .8275, .870625}},
		"splitting by half":              {Twin{Manner: Splitting, Beta: 1}, []answer{stays, comes, stays, stays}, []float64{.6, .8, .89, .9, .9}},
		"erratic":                        {Twin{Manner: Erratic, Offers: []float64{.6, .5, .7}}, []answer{stays, stays, stays, stays}, []float64{.6, .5, .7, .9, .9}},
	} {
		twin := c.twin
		twin.Worth, twin.First, twin.Deadline = .9, .6, 5
		state := newCourse(1)
		for n, want := range c.want {
			got := twin.aspire(n+1, &state)
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: offers %v in round %d, want %v", name, got, n+1, want)
			}
			if n < len(c.answers) {
				state.answer(Round{
					Offer:    got,
					Price:    c.answers[n].price,
					Rejected: c.answers[n].rejected,
				})
			}
		}
	}
}
