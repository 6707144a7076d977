package fieldtest_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// thing has a field of each kind.
type thing struct {
	ID     id.Product
	Name   string
	Price  *money.Amount
	At     time.Time
	Status catalog.Status
	Parts  []part
	Facts  map[string]string
}

type part struct{ Size, Count int }

// recorder records what a test would report.
type recorder struct {
	testing.TB
	lines []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func TestFill_everyField(t *testing.T) {
	t.Parallel()
	filled := fieldtest.Fill[thing](catalog.Archived)
	r := &recorder{TB: t}
	fieldtest.Survive(r, nil, fieldtest.Pair{Sent: filled, Got: filled})
	if len(r.lines) > 0 || filled.Status != catalog.Archived || len(filled.Parts) != 2 || filled.Parts[0] == filled.Parts[1] {
		t.Errorf("filled %+v: %q", filled, r.lines)
	}
	other := fieldtest.Fill[thing](catalog.Archived, fieldtest.From(500))
	if filled.ID == other.ID || filled.Name == other.Name || *filled.Price == *other.Price || filled.At.Equal(other.At) {
		t.Errorf("%+v and %+v have values in common", filled, other)
	}
	defer func() {
		if message := fmt.Sprint(recover()); !strings.Contains(message, "thing.Status: fieldtest knows no value of catalog.Status") {
			t.Errorf("a type without a known value is reported as %q", message)
		}
	}()
	fieldtest.Fill[thing]()
}

func TestSurvive_reports(t *testing.T) {
	t.Parallel()
	sent := fieldtest.Fill[thing](catalog.Archived)
	for name, c := range map[string]struct {
		lose   func(sent, got *thing)
		except fieldtest.Reasons
		want   string
	}{
		"lost":            {lose: func(_, got *thing) { got.Name = "" }, want: `fieldtest_test.thing.Name: sent "value 3", got ""`},
		"lost below":      {lose: func(_, got *thing) { got.Parts = []part{sent.Parts[0], {Count: sent.Parts[1].Count}} }, want: "thing.Parts[].Size: sent"},
		"lost element":    {lose: func(_, got *thing) { got.Parts = sent.Parts[:1] }, want: "thing.Parts: sent"},
		"never sent":      {lose: func(sent, got *thing) { sent.Price, got.Price = nil, nil }, want: "thing.Price: nothing was sent"},
		"excepted":        {lose: func(_, got *thing) { got.Parts = nil }, except: fieldtest.Reasons{"fieldtest_test.thing.Parts": "why"}},
		"excepted, alive": {lose: func(_, _ *thing) {}, except: fieldtest.Reasons{"fieldtest_test.thing.At": "why"}, want: "thing.At survives"},
	} {
		before, after := sent, sent
		c.lose(&before, &after)
		r := &recorder{TB: t}
		fieldtest.Survive(r, c.except, fieldtest.Pair{Sent: &before, Got: after})
		if got := strings.Join(r.lines, "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) || len(r.lines) > 1 {
			t.Errorf("%s is reported as %q, want %q", name, got, c.want)
		}
	}
}

func TestChanges_oneFieldAtATime(t *testing.T) {
	t.Parallel()
	value := fieldtest.Fill[thing](catalog.Archived)
	before := fieldtest.Fill[thing](catalog.Archived)
	before.ID = value.ID
	var paths []string
	fieldtest.Changes(&value, func(path string) {
		paths = append(paths, strings.TrimPrefix(path, "fieldtest_test.thing."))
		if reflect.DeepEqual(value, before) {
			t.Errorf("%s is not changed", path)
		}
	}, catalog.Active, catalog.Archived)
	want := []string{
		"ID", "Name", "Price", "Price", "At", "Status", "Parts[0].Size", "Parts[0].Count", "Parts[1].Size", "Parts[1].Count",
		"Parts", "Facts[]", "Facts[key]",
	}
	if !slices.Equal(paths, want) || !reflect.DeepEqual(value, before) {
		t.Errorf("changed %q and left %+v, want %q and %+v", paths, value, want, before)
	}
}

func TestMatter_reports(t *testing.T) {
	t.Parallel()
	value := fieldtest.Fill[part]()
	sees := func(p *part) any { return p.Size }
	for want, except := range map[string]fieldtest.Reasons{
		"fieldtest_test.part.Count: a change of it is not seen": nil,
		"": {"fieldtest_test.part.Count": "why"},
		"fieldtest_test.part.Size is seen, or is no field: take it off the exceptions": {"fieldtest_test.part.Count": "why", "fieldtest_test.part.Size": "why"},
	} {
		r := &recorder{TB: t}
		fieldtest.Matter(r, &value, sees, except)
		if got := strings.Join(r.lines, "\n"); got != want {
			t.Errorf("reported %q, want %q", got, want)
		}
	}
}
