package main

import (
	"math"
	"time"
)

// visits are the numbers of buyers on an ordinary day at the beginning and at the end of the history.
const (
	firstVisits = 8.5
	lastVisits  = 15.0
)

var (
	// weekdays are factors from Sunday on: more buyers come at weekends.
	weekdays = [7]float64{1.25, .90, .86, .92, .98, 1.10, 1.28}

	// hours are weights by hour: few buyers come at night, most at noon and in the evening.
	hours = [24]float64{.3, .2, .1, .1, .1, .2, .4, .8, 1.2, 1.5, 1.7, 1.8, 2.0, 1.8, 1.6, 1.5, 1.5, 1.7, 2.0, 2.3, 2.4, 2.0, 1.3, .7}

	// extraordinary are factors by day: a newsletter, a late supplier, a holiday.
	extraordinary = map[int]float64{23: 2.3, 24: 1.5, 41: .35, 42: .45, 60: .5, 68: 2.0, 79: .4, 85: 1.7}
)

// plan schedules a day's visits and the merchant's work.
func (w *world) plan(day int) {
	midnight := begin.AddDate(0, 0, day)
	expected := firstVisits + (lastVisits-firstVisits)*float64(day)/days
	expected *= weekdays[midnight.Weekday()]
	if factor, ok := extraordinary[day]; ok {
		expected *= factor
	}
	for range w.poisson(expected) {
		w.at(midnight.Add(w.timeOfDay()), w.visit)
	}
	w.planWork(day, midnight)
}

// timeOfDay draws a time of day, weighted by hours.
func (w *world) timeOfDay() time.Duration {
	sum := 0.0
	for _, weight := range hours {
		sum += weight
	}
	left := w.chance.Float64() * sum
	hour := 0
	for hour < len(hours)-1 && left >= hours[hour] {
		left -= hours[hour]
		hour++
	}
	return time.Duration(hour)*time.Hour + time.Duration(w.chance.IntN(3600))*time.Second
}

// poisson draws a number of independent arrivals with this mean (Knuth).
func (w *world) poisson(mean float64) int {
	limit, product, n := math.Exp(-mean), 1.0, -1
	for product > limit {
		product *= w.chance.Float64()
		n++
	}
	return n
}

// oneIn reports true with a probability of 1/n.
func (w *world) oneIn(n int) bool { return w.chance.IntN(n) == 0 }
