package analytics

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// Series are cut by the shop's local time, even on days on which clocks change.
func TestCut(t *testing.T) {
	for name, c := range map[string]struct {
		zone     string
		by       Interval
		from, to string
		inner    []string // bounds between the two
	}{
		"days of UTC":                     {"UTC", Day, "2026-03-01T00:00:00Z", "2026-03-04T00:00:00Z", []string{"2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"}},
		"from within a day":               {"UTC", Day, "2026-03-01T10:07:00Z", "2026-03-02T03:00:00Z", []string{"2026-03-02T00:00:00Z"}},
		"a day of 23 hours":               {"Europe/Berlin", Day, "2026-03-27T23:00:00Z", "2026-03-30T22:00:00Z", []string{"2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"}},
		"a day of 25 hours":               {"America/New_York", Day, "2026-10-31T04:00:00Z", "2026-11-03T05:00:00Z", []string{"2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"}},
		"an hour twice":                   {"Europe/Berlin", Hour, "2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z", []string{"2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"}},
		"an hour that is not there":       {"Europe/Berlin", Hour, "2026-03-29T00:00:00Z", "2026-03-29T03:00:00Z", []string{"2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"}},
		"hours of a zone of half an hour": {"Asia/Kolkata", Hour, "2026-03-01T00:00:00Z", "2026-03-01T02:00:00Z", []string{"2026-03-01T00:30:00Z", "2026-03-01T01:30:00Z"}},
		"clocks that go by half an hour":  {"Australia/Lord_Howe", Hour, "2026-04-04T13:00:00Z", "2026-04-04T17:30:00Z", []string{"2026-04-04T14:00:00Z", "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z", "2026-04-04T16:30:00Z"}},
		"midnight is skipped":             {"Africa/Cairo", Day, "2026-04-22T22:00:00Z", "2026-04-24T22:00:00Z", []string{"2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"}},
		"midnight comes twice":            {"America/Havana", Day, "2026-10-31T04:00:00Z", "2026-11-02T06:00:00Z", []string{"2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"}},
		"a day that was skipped":          {"Pacific/Apia", Day, "2011-12-29T10:00:00Z", "2012-01-01T10:00:00Z", []string{"2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"}},
		"weeks begin on Monday":           {"Europe/Berlin", Week, "2026-03-18T12:00:00Z", "2026-04-06T12:00:00Z", []string{"2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z", "2026-04-05T22:00:00Z"}},
		"months":                          {"Europe/Berlin", Month, "2025-12-31T23:00:00Z", "2026-04-15T00:00:00Z", []string{"2026-01-31T23:00:00Z", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Cut(at(t, c.from), at(t, c.to), c.by, zone(t, c.zone))
			if err != nil {
				t.Fatal(err)
			}
			want := append(append([]string{c.from}, c.inner...), c.to)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || !got[i].Equal(at(t, want[i])) {
					t.Fatalf("got %v, want %v", got, want)
				}
			}
		})
	}
}

// In every zone the bounds rise, and all except the two given ones are whole slots.
func TestCut_wholeSlots(t *testing.T) {
	for _, name := range []string{"UTC", "Asia/Kathmandu", "Pacific/Chatham", "Australia/Lord_Howe", "America/St_Johns", "Africa/Cairo", "Pacific/Apia"} {
		for year := 2000; year < 2030; year++ {
			from := time.Date(year, 1, 1, 0, 7, 0, 0, time.UTC)
			bounds, err := Cut(from, from.AddDate(1, 0, 0), Day, zone(t, name))
			if err != nil {
				t.Fatal(err)
			}
			for i, b := range bounds[1 : len(bounds)-1] {
				if !SlotOf(b).Equal(b) || !b.After(bounds[i]) {
					t.Fatalf("%s: %v follows %v", name, b, bounds[i])
				}
			}
		}
	}
}

func TestCut_tooManyBuckets(t *testing.T) {
	from := at(t, "2026-01-01T00:00:00Z")
	if bounds, err := Cut(from, from.Add(MaxBuckets*time.Hour), Hour, time.UTC); err != nil || len(bounds) != MaxBuckets+1 {
		t.Errorf("400 hours: %d bounds, %v", len(bounds), err)
	}
	if _, err := Cut(from, from.Add(MaxBuckets*time.Hour+1), Hour, time.UTC); !fault.Is(err, "validation_error") {
		t.Errorf("401 hours: %v", err)
	}
}

func TestSpan(t *testing.T) {
	noon := at(t, "2026-03-01T12:00:00Z")
	bounds := []time.Time{noon, noon.Add(1), noon.Add(3)}
	for after, want := range map[time.Duration]int{-1: -1, 0: 0, 1: 1, 2: 1, 3: -1, 4: -1} {
		got, inside := Span(bounds, noon.Add(after))
		if inside != (want >= 0) || inside && got != want {
			t.Errorf("%d after: %d, %v", after, got, inside)
		}
	}
}

func TestPeriod(t *testing.T) {
	berlin, now := zone(t, "Europe/Berlin"), at(t, "2026-04-10T22:30:00Z")
	for name, c := range map[string]struct{ from, to, begin, end string }{
		"the last 30 days":      {"", "", "2026-03-12T23:00:00Z", "2026-04-11T22:00:00Z"},
		"dates":                 {"2026-03-29", "2026-03-30", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		"times":                 {"2026-03-29T01:02:03.0049Z", "2026-03-29T01:02:03.006+00:00", "2026-03-29T01:02:03.004Z", "2026-03-29T01:02:03.006Z"},
		"30 days before a date": {"", "2026-03-30", "2026-02-27T23:00:00Z", "2026-03-29T22:00:00Z"},
		"30 days before a time": {"", "2026-03-31T10:00:00Z", "2026-03-01T10:00:00Z", "2026-03-31T10:00:00Z"},
		"to the end of today":   {"2026-04-11", "", "2026-04-10T22:00:00Z", "2026-04-11T22:00:00Z"},
	} {
		begin, end, err := Period(c.from, c.to, now, berlin)
		if err != nil || !begin.Equal(at(t, c.begin)) || !end.Equal(at(t, c.end)) {
			t.Errorf("%s: from %v to %v, %v", name, begin, end, err)
		}
	}
	for _, c := range []struct{ from, to, field string }{
		{"yesterday", "", "from"}, {"", "2026-02-30", "to"}, {"2026-03-01T00:00:00", "", "from"},
		{"2026-03-01", "2026-03-01", "from"}, {"2026-03-02", "2026-03-01", "from"}, {"2027-01-01", "", "from"},
	} {
		_, _, err := Period(c.from, c.to, now, berlin)
		if !fault.Is(err, "validation_error") || err.(*fault.Error).Details[0].Field != c.field {
			t.Errorf("from %q to %q: %v", c.from, c.to, err)
		}
	}
}
