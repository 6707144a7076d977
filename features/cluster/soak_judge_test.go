package cluster

import (
	"fmt"
	"slices"
	"time"
)

// quantity is a measured quantity.
type quantity int

const (
	orderCount      quantity = iota
	heapBytes                // of replica A, after a garbage collection
	residentBytes            // of replica A
	anonymousBytes           // of replica A: resident memory without that of files
	goroutineCount           // of replica A
	threadCount              // of replica A
	fileCount                // open file descriptors of replica A, without connections to the database
	connectionCount          // of replica A to the database
	cpuSeconds               // of replica A
	databaseBytes
	firstWALBytes // of node 1
	secondWALBytes
	thirdWALBytes
	temporaryBytes // temporary files of PostgreSQL and of both replicas
	folderBytesA   // all files of replica A without its log
	folderBytesB
	logBytesA
	logBytesB
	quantities
)

// columns are the quantities' names, and the units in which a table shows them.
var columns = [quantities]struct {
	name string
	unit float64
}{
	orderCount:      {"orders", 1},
	heapBytes:       {"heap MB", 1e6},
	residentBytes:   {"RSS MB", 1e6},
	anonymousBytes:  {"anonymous MB", 1e6},
	goroutineCount:  {"goroutines", 1},
	threadCount:     {"threads", 1},
	fileCount:       {"files", 1},
	connectionCount: {"connections", 1},
	cpuSeconds:      {"CPU s", 1},
	databaseBytes:   {"database MB", 1e6},
	firstWALBytes:   {"WAL 1 MB", 1e6},
	secondWALBytes:  {"WAL 2 MB", 1e6},
	thirdWALBytes:   {"WAL 3 MB", 1e6},
	temporaryBytes:  {"temporary kB", 1e3},
	folderBytesA:    {"folder A kB", 1e3},
	folderBytesB:    {"folder B kB", 1e3},
	logBytesA:       {"log A kB", 1e3},
	logBytesB:       {"log B kB", 1e3},
}

// sample has the quantities at one time of the soak.
type sample struct {
	at time.Duration // since the start
	of [quantities]float64
}

// window is a part of the soak, as shares of its length.
type window struct{ from, to float64 }

// Memory and disk usage are flat if the end of the soak is like its middle. The first quarter fills caches, pools and
// PostgreSQL's free space. PostgreSQL's leader has no fault in either window.
var middle, end = window{0.25, 0.45}, window{0.8, 1}

// leastSamples is the minimum number of a window's samples, of twelve.
const leastSamples = 8

// in returns the samples of a window.
func (w window) in(samples []sample, length time.Duration) []sample {
	return slices.DeleteFunc(slices.Clone(samples), func(s sample) bool {
		return s.at < time.Duration(w.from*float64(length)) || s.at > time.Duration(w.to*float64(length))
	})
}

func series(samples []sample, q quantity) (values []float64) {
	for _, s := range samples {
		values = append(values, s.of[q])
	}
	return values
}

// measure reduces the samples of a window to one figure. The window must not be empty.
type measure func([]sample) float64

func lowest(q quantity) measure {
	return func(samples []sample) float64 { return slices.Min(series(samples, q)) }
}

func highest(q quantity) measure {
	return func(samples []sample) float64 { return slices.Max(series(samples, q)) }
}

func median(q quantity) measure {
	return func(samples []sample) float64 {
		values := series(samples, q)
		slices.Sort(values)
		n := len(values)
		return (values[(n-1)/2] + values[n/2]) / 2
	}
}

// perOrder returns a quantity's growth per order, or its whole growth if there were no orders.
func perOrder(q quantity) measure {
	return func(samples []sample) float64 {
		first, last := samples[0].of, samples[len(samples)-1].of
		return (last[q] - first[q]) / max(1, last[orderCount]-first[orderCount])
	}
}

// limit bounds a figure at the end of the soak: the figure of the middle times growth, plus slack.
type limit struct {
	name          string
	measure       measure
	growth, slack float64
	unit          float64
}

// verdict is the result of a limit.
type verdict struct {
	name             string
	before, now, top float64
}

func (v verdict) broken() bool { return v.now > v.top }

func (v verdict) String() string {
	is := "ok    "
	if v.broken() {
		is = "BROKEN"
	}
	return fmt.Sprintf("%s %-42s %10.2f in the middle, %10.2f at the end, at most %10.2f", is, v.name, v.before, v.now, v.top)
}

// judge compares the end of a soak with its middle.
func (l limit) judge(samples []sample, length time.Duration) (verdict, error) {
	before, now := middle.in(samples, length), end.in(samples, length)
	if len(before) < leastSamples || len(now) < leastSamples {
		return verdict{}, fmt.Errorf("%s: %d samples in the middle and %d at the end, want %d", l.name, len(before), len(now), leastSamples)
	}
	was, is := l.measure(before), l.measure(now)
	return verdict{l.name, was / l.unit, is / l.unit, (l.growth*was + l.slack) / l.unit}, nil
}

// planned is a fault and its time.
type planned struct {
	at    time.Duration
	fault string
}

const (
	replicaKilled  = "kill -9 of replica B"
	leaderKilled   = "kill -9 of PostgreSQL's leader"
	leaderSwitched = "planned switchover of PostgreSQL"
)

// leastBetween is the minimum time between two faults, within which a replica restarts even on a busy machine.
const leastBetween = 30 * time.Second

// schedule returns the faults of a soak. Replica B is killed every twelfth of it. At half time and at three quarters it is
// PostgreSQL's leader instead.
func schedule(length time.Duration) (all []planned) {
	every := max(length/12, leastBetween)
	half, late := length/2, length*3/4
	all = []planned{{half, leaderKilled}, {late, leaderSwitched}}
	for at := every; at <= length-every/2; at += every {
		if (at-half).Abs() >= every && (at-late).Abs() >= every {
			all = append(all, planned{at, replicaKilled})
		}
	}
	slices.SortFunc(all, func(a, b planned) int { return int(a.at - b.at) })
	return all
}

// outage is a time in which requests may fail: from a fault until some time after its end.
type outage struct {
	fault       string
	from, until time.Time
	note        string // what took how long
}

func (o outage) explains(f failure) bool { return !f.ended.Before(o.from) && !f.began.After(o.until) }

// unexplained returns the failures outside of all outages, and the number of failures in each outage.
func unexplained(failures []failure, outages []outage) (others []failure, counts []int) {
	counts = make([]int, len(outages))
	for _, f := range failures {
		if i := slices.IndexFunc(outages, func(o outage) bool { return o.explains(f) }); i >= 0 {
			counts[i]++
		} else {
			others = append(others, f)
		}
	}
	return others, counts
}
