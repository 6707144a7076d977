package faults

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// Report collects the results of a run's test cases. Its methods may be called concurrently.
type Report struct {
	Seed uint64
	// Progress, if set, gets a line for each finished case.
	Progress io.Writer

	mu         sync.Mutex
	began      time.Time
	cases      map[string]int // by group
	numbers    map[string]int
	slowest    time.Duration // longest time from a fault to the last check
	violations []string
}

// NewReport returns an empty report.
func NewReport(seed uint64) *Report {
	return &Report{
		Seed:    seed,
		began:   time.Now(),
		cases:   map[string]int{},
		numbers: map[string]int{},
	}
}

// Case records a finished case of a group and its violations.
func (r *Report) Case(group, name string, violations ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cases[group]++
	for _, v := range violations {
		r.violations = append(r.violations, group+"/"+name+": "+v)
	}
	if r.Progress != nil {
		fmt.Fprintf(r.Progress, "%7s  %s/%s: %d violations\n", time.Since(r.began).Round(time.Second), group, name, len(violations))
	}
}

// Count adds n to a counter of the run.
func (r *Report) Count(what string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.numbers[what] += n
}

// Decided records how long after a fault everything was decided, answered and checked.
func (r *Report) Decided(after time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slowest = max(r.slowest, after)
}

// Violations returns the number of violations.
func (r *Report) Violations() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.violations)
}

// Cases returns the number of cases.
func (r *Report) Cases() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, c := range r.cases {
		n += c
	}
	return n
}

// String formats the report.
func (r *Report) String() string {
	n := r.Cases()
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "Faults: seed %d, %d cases, %d violations, %s\n", r.Seed, n, len(r.violations), time.Since(r.began).Round(time.Second))
	for _, names := range []map[string]int{r.cases, r.numbers} {
		for _, name := range sorted(names) {
			fmt.Fprintf(&b, "  %-44s %6d\n", name, names[name])
		}
	}
	fmt.Fprintf(&b, "  %-44s %6s\n", "longest from a fault to the last check", r.slowest.Round(100*time.Millisecond))
	for _, v := range r.violations {
		fmt.Fprintf(&b, "  VIOLATION %s\n", v)
	}
	return b.String()
}

func sorted(m map[string]int) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
