package cluster

import (
	"strings"
	"testing"
	"time"
)

// hour returns the samples of an hour, one per minute. value returns the quantities of a minute.
func hour(value func(minute float64) map[quantity]float64) (samples []sample) {
	for minute := range 61 {
		s := sample{at: time.Duration(minute) * time.Minute}
		for q, v := range value(float64(minute)) {
			s.of[q] = v
		}
		samples = append(samples, s)
	}
	return samples
}

// named returns the limit with a name.
func named(t *testing.T, name string) limit {
	t.Helper()
	for _, l := range limits {
		if l.name == name {
			return l
		}
	}
	t.Fatalf("there is no limit %q", name)
	return limit{}
}

func judged(t *testing.T, name string, samples []sample) verdict {
	t.Helper()
	v, err := named(t, name).judge(samples, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// flat has memory that oscillates between collections and grows a little for caches.
func flat(minute float64) map[quantity]float64 {
	noise := float64(int(minute) * 7 % 5)
	return map[quantity]float64{
		orderCount:      120 * minute,
		heapBytes:       40e6 + noise*1e6,
		residentBytes:   150e6 + noise*10e6,
		anonymousBytes:  120e6 + noise*10e6,
		goroutineCount:  60 + 3*noise,
		threadCount:     10 + noise,
		fileCount:       40 + 2*noise,
		connectionCount: 5 + noise,
		databaseBytes:   20e6 + 120*minute*30e3 + noise*100e3,
		logBytesA:       120 * minute * 1500,
		logBytesB:       120 * minute * 1400,
	}
}

func TestLimits_flat(t *testing.T) {
	t.Parallel()
	for _, l := range limits {
		if v, err := l.judge(hour(flat), time.Hour); err != nil || v.broken() {
			t.Errorf("%s, %v", v, err)
		}
	}
}

// Each leak exceeds the limit of its quantity.
func TestLimits_leaks(t *testing.T) {
	t.Parallel()
	for name, leak := range map[string]struct {
		of        quantity
		perMinute float64
	}{
		"heap, lowest after a collection": {heapBytes, 200e3}, // 1.7 kB per order
		"resident memory, median":         {residentBytes, 3e6},
		"anonymous memory, median":        {anonymousBytes, 3e6},
		"goroutines, lowest":              {goroutineCount, 1},
		"threads, lowest":                 {threadCount, 1},
		"open files, lowest":              {fileCount, 1},
	} {
		leaking := hour(func(minute float64) map[quantity]float64 {
			values := flat(minute)
			values[leak.of] += leak.perMinute * minute
			return values
		})
		if v := judged(t, name, leaking); !v.broken() {
			t.Errorf("not found: %s", v)
		}
	}
}

// The growth per order must not depend on the number of orders.
func TestLimits_growthPerOrder(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]quantity{
		"kB of database an order": databaseBytes, "kB of log A an order": logBytesA, "kB of log B an order": logBytesB,
	} {
		bloating := hour(func(minute float64) map[quantity]float64 {
			values := flat(minute)
			values[of] *= 1 + minute/40
			return values
		})
		if v := judged(t, name, bloating); !v.broken() {
			t.Errorf("not found: %s", v)
		}
	}
}

func TestLimit_judge_samplesMissing(t *testing.T) {
	t.Parallel()
	samples := hour(flat)[:53] // the sampled server ended after 52 minutes
	if _, err := limits[0].judge(samples, time.Hour); err == nil || !strings.Contains(err.Error(), "5 at the end") {
		t.Errorf("error %v", err)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	var samples []sample
	for _, v := range []float64{9, 1, 4, 2} {
		s := sample{}
		s.of[fileCount] = v
		samples = append(samples, s)
	}
	if got := median(fileCount)(samples); got != 3 {
		t.Errorf("median of four: %v", got)
	}
	if got := median(fileCount)(samples[:3]); got != 4 {
		t.Errorf("median of three: %v", got)
	}
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	for length, kills := range map[time.Duration]int{time.Hour: 9, 4 * time.Minute: 5, 8 * time.Hour: 9} {
		all, before, got := schedule(length), time.Duration(0), 0
		for _, p := range all {
			if p.at-before < leastBetween {
				t.Errorf("%s: %s comes %s after the one before", length, p.fault, p.at-before)
			}
			before = p.at
			if p.fault == replicaKilled {
				got++
			} else if share := float64(p.at) / float64(length); share > middle.from && share < middle.to || share > end.from {
				t.Errorf("%s: %s is in a window that is judged", length, p.fault)
			}
		}
		if got != kills || len(all) != kills+2 || before >= length {
			t.Errorf("%s: %d kills of a replica, want %d, in %v", length, got, kills, all)
		}
	}
}

// A failure is explained only by an outage that it overlaps, however long the failure lasted.
func TestUnexplained(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	outages := []outage{{from: at(10), until: at(20)}, {from: at(60), until: at(90)}}
	others, counts := unexplained([]failure{
		{at(1), at(9), "before"},
		{at(8), at(11), "hit by the fault"},
		{at(12), at(13), "in it"},
		{at(19), at(40), "begun in it"},
		{at(21), at(59), "between"},
		{at(70), at(71), "in the other"},
		{at(91), at(92), "after"},
	}, outages)
	if len(others) != 3 || others[0].what != "before" || others[1].what != "between" || others[2].what != "after" {
		t.Errorf("unexplained: %v", others)
	}
	if counts[0] != 3 || counts[1] != 1 {
		t.Errorf("failures in outages: %v", counts)
	}
}

func TestReadMetrics(t *testing.T) {
	t.Parallel()
	got, err := readMetrics(strings.NewReader(`# HELP go_goroutines Number of goroutines.
# TYPE go_goroutines gauge
go_goroutines 48
go_sql_open_connections{db_name="read"} 2
go_sql_open_connections{db_name="write, or } 9"} 1
process_resident_memory_bytes 2.2870016e+08
`))
	if err != nil || got["go_goroutines"] != 48 || got["go_sql_open_connections"] != 3 || got["process_resident_memory_bytes"] != 228700160 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := readMetrics(strings.NewReader("go_goroutines many\n")); err == nil {
		t.Error("no error for a value that is no number")
	}
}
