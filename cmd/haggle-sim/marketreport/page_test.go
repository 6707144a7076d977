package marketreport

import (
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

// elements parses a page as XML, and returns the number of elements by name and the set of ids.
func elements(t *testing.T, page string) (counts map[string]int, ids map[string]bool) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(page))
	counts, ids = map[string]int{}, map[string]bool{}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return counts, ids
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			counts[start.Name.Local]++
			for _, a := range start.Attr {
				if a.Name.Local == "id" {
					ids[a.Value] = true
				}
			}
		}
	}
}

var (
	notANumber = regexp.MustCompile(`NaN|Inf|e\+\d|[ "]-0[" ,]`)
	fetched    = regexp.MustCompile(`(?i)<script|<link|<img|src=|href="[^#]|url\(|@import|https?:`)
)

func TestWriteHTML(t *testing.T) {
	t.Parallel()
	_, page := written(t, simulated(t, config(1000)))
	if strings.Contains(page, `id="families"`) {
		t.Error("there are families without a report on them")
	}
	var with strings.Builder
	if err := WriteHTML(&with, simulated(t, config(100)), families(t)); err != nil {
		t.Fatal(err)
	}
	if _, ids := elements(t, with.String()); !ids["families"] {
		t.Error("no section families")
	}
	counts, ids := elements(t, page)
	for _, id := range []string{"short", "populations", "strategies", "paths", "probing", "reading"} {
		if !ids[id] {
			t.Errorf("no section %s", id)
		}
	}
	if counts["svg"] != 4+11+1 || counts["table"] != 5 || counts["h1"] != 1 {
		t.Errorf("%v", counts)
	}
	if found := fetched.FindString(page); found != "" {
		t.Errorf("the page has %q", found)
	}
	if found := notANumber.FindString(page); found != "" {
		t.Errorf("a number is %q", found)
	}
	for _, want := range []string{"&lt;0.8 &amp; no less&gt;", "margin, % of the best fixed price&#39;s", "compared with your list price", "Try this policy in the studio", "deals, % of the buyers",
		"margin per buyer, % of the list price", "discount, % of the list price", "price, % of list", "above the floor, % of list", "lognormal(0.90, 0.20)"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

// Unusual runs have pages too: with no deals, an unknown floor or one strategy.
func TestWriteHTML_oddRuns(t *testing.T) {
	t.Parallel()
	one := config(10)
	one.Populations, one.Tactics, one.Apart, one.Secrets = one.Populations[:1], one.Tactics[3:4], nil, nil
	poor := config(50)
	poor.Populations = []market.Population{{Worths: market.Uniform(.05, .10), Cost: .5}}
	dear := config(50)
	dear.Populations = []market.Population{{Worths: market.Uniform(1.5, 1.6), Cost: 1.2}}
	for name, c := range map[string]simulating.Config{"one": one, "poor": poor, "dear": dear} {
		r := simulated(t, c)
		text, page := written(t, r)
		var table strings.Builder
		if err := Write(&table, r); err != nil {
			t.Fatal(err)
		}
		elements(t, page)
		if found := notANumber.FindString(text + page + table.String()); found != "" {
			t.Errorf("%s: a number is %q", name, found)
		}
		if strings.Contains(page, `id="probing"`) == (c.Secrets == nil) && name == "one" {
			t.Errorf("%s: a floor that nobody knows is probed for", name)
		}
	}
}

func TestScale_ticks(t *testing.T) {
	t.Parallel()
	for _, s := range []scale{{low: 0, high: 1}, {low: -17.3, high: 2.1}, {low: 0, high: 1e-6}, {low: 45, high: 103}, {low: 0, high: 8}, {low: 0, high: 12345}} {
		ticks := s.ticks(5)
		if len(ticks) < 2 || len(ticks) > 7 || ticks[0] < s.low-1e-9 || ticks[len(ticks)-1] > s.high*(1+1e-9) {
			t.Errorf("%v: %v", s, ticks)
		}
		for _, tick := range ticks {
			if math.Signbit(tick) && tick == 0 {
				t.Errorf("%v: minus zero", s)
			}
		}
	}
}
