package history

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/id"
)

var (
	from  = time.Date(2031, 3, 3, 0, 0, 0, 0, time.UTC)
	until = time.Date(2031, 6, 1, 9, 30, 0, 0, time.UTC)
)

func newMarker() *marker {
	return &marker{
		names:   map[string]string{"proj_00000000000000000000000001": "P"},
		ids:     map[string]string{},
		counts:  map[string]int{},
		derived: map[string]string{},
		from:    from,
		until:   until,
	}
}

// readerOf reads what a marker wrote, in a project of another id, at another time.
func readerOf(m *marker, by time.Duration) *reader {
	r := &reader{
		names:  map[string]string{"P": "proj_00000000000000000000000002"},
		ids:    map[string][]string{},
		from:   from.Add(by),
		until:  until.Add(by),
		random: func(b []byte) { copy(b, bytes.Repeat([]byte{7}, len(b))) },
	}
	for _, kind := range m.kinds {
		r.draw(kind, m.counts[kind])
	}
	return r
}

func TestMarker_idsAndTimes(t *testing.T) {
	const session = "sess_06h1tmabywypqb05teyexng46m"
	negotiation := id.NegotiationOf(id.Stored[id.Session](session)).String()
	hash := strings.Repeat("0a", 32)
	m, by := newMarker(), -48*time.Hour
	m.id(session)
	for text, want := range map[string]string{
		"plain text, 12 pieces":                 "plain text, 12 pieces",
		`{"at":"2031-05-03T10:00:00Z"}`:         `{"at":"2031-05-01T10:00:00Z"}`,
		`{"at":"2031-05-03T10:00:00.25Z"}`:      `{"at":"2031-05-01T10:00:00.25Z"}`,
		`{"ships_on":"2031-05-03"}`:             `{"ships_on":"2031-05-01"}`,
		`{"version":"2026-08-25"}`:              `{"version":"2026-08-25"}`,
		`{"until":1935396000000,"n":12}`:        `{"until":1935223200000,"n":12}`,
		"4006381333931 is no time":              "4006381333931 is no time",
		"of proj_00000000000000000000000001":    "of proj_00000000000000000000000002",
		"ucp_2026_04_08 and psp_spt are no ids": "ucp_2026_04_08 and psp_spt are no ids",
		"a tab\t, a line\n and \\n \\\\t":       "a tab\t, a line\n and \\n \\\\t",
	} {
		field, err := m.field(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readerOf(m, by).field(field)
		if err != nil || got != want || strings.ContainsAny(field, "\t\n") {
			t.Errorf("%q is read as %q, want %q: %v", text, got, want, err)
		}
	}
	all, err := m.text(session + " " + negotiation + " " + hash + " " + session + " " + hash)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readerOf(m, by).text(all)
	parts := strings.Fields(got)
	if err != nil || len(parts) != 5 || parts[0] == session || parts[0] != parts[3] || parts[2] == hash || parts[2] != parts[4] || len(parts[2]) != len(hash) {
		t.Fatalf("%q, %v", got, err)
	}
	fresh, err := id.Parse[id.Session](parts[0])
	if err != nil || parts[1] != id.NegotiationOf(fresh).String() {
		t.Errorf("%q, %v", got, err)
	}
}

func TestMarker_field_unmarkedTimes(t *testing.T) {
	for _, value := range []any{int64(1795788196855), "2026-11-27T14:03:16Z", "a\x02b", []byte{1}, 2.5} {
		if field, err := newMarker().field(value); err == nil {
			t.Errorf("%v becomes %q", value, field)
		}
	}
}

func TestDraw_sortsAsTheHistory(t *testing.T) {
	m := newMarker()
	m.kinds, m.counts = []string{"ord_"}, map[string]int{"ord_": 500}
	r := readerOf(m, 0)
	for i := 1; i < 500; i++ {
		if r.ids["ord_"][i] <= r.ids["ord_"][i-1] {
			t.Fatalf("%s comes after %s", r.ids["ord_"][i], r.ids["ord_"][i-1])
		}
	}
}

func TestMovedBy_wholeDaysToTheLastDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := until.Add(time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(t, "milliseconds")/1e3) * time.Millisecond)
		by := MovedBy(until, now)
		if left := now.Sub(until.Add(by)); by%day != 0 || left < 0 || left >= day {
			t.Fatalf("moved by %s, it ended %s before %s", by, left, now)
		}
	})
}

func TestRead_refusesOtherFiles(t *testing.T) {
	for name, fields := range map[string][]string{
		"another version": {"haggle-history 0", "1", "1"},
		"no times":        {version},
	} {
		if err := (&file{}).begin(fields, Names{}, until, nil); !errors.Is(err, ErrOutdated) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
