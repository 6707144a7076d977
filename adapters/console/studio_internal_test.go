package console

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// policyText is a policy as the API sends it, with numbers by chance.
func policyText(r *rand.Rand) string {
	percent := func(high int) string { return plainNumber(float64(r.IntN(10*high+1)) / 10) }
	steps := func() string {
		var all []string
		at := 0
		for range 1 + r.IntN(8) {
			at += r.IntN(1001 - at)
			all = append(all, plainNumber(float64(at)/10))
		}
		return strings.Join(all, ",")
	}
	breaks := func() string {
		var all []string
		for n := range r.IntN(4) {
			all = append(all, fmt.Sprintf(`{"from":%d,"lean_percent":%s}`, 1+n*3, percent(100)))
		}
		return strings.Join(all, ",")
	}
	return fmt.Sprintf(`{"enabled":%t,"max_discount_percent":%s,"min_margin_percent":%s,"unverified_share_percent":%s,"round_cap":%d,
		"depth_percent":%s,"anchor_percent":%s,"curve":{"reach_percent":1%02d.5,"markup_percent":1%02d,"give_percent":[%s],"take_percent":[%s]},
		"segments":[],"leanings":{"tiers":{"bronze":%s,"silver":1,"gold":2,"platinum":3},"purchases":[%s],"volume":[%s],"flexible_percent":-%s,
		"scarce_percent":-25,"scarce_below":%d,"plenty_percent":10,"plenty_from":50,"cart_percent":5,"cart_times":2,"competitor_percent":10,
		"match_competitor":%t,"high_margin_percent":20,"high_margin_from_percent":55},"bundles":{"enabled":%t,"share_percent":35},"probing":{"session":%d,"client":0,"product":20}}`,
		r.IntN(2) == 0, percent(90), percent(1000), percent(100), 1+r.IntN(20), percent(100), percent(100), r.IntN(100), r.IntN(100), steps(), steps(),
		percent(100), breaks(), breaks(), percent(100), r.IntN(100), r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(100))
}

func readPolicy(t *testing.T, text string) (h haggling) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		t.Fatal(err)
	}
	return h
}

// A policy that is read into the form and back is the same, in sliders and in numbers.
func TestSliders_changeNothingByThemselves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		text := policyText(r)
		h := readPolicy(t, text)
		form := url.Values{}
		for _, n := range policyNumbers {
			form.Set(n.name, h.values[n.name])
		}
		for _, s := range sliders {
			form.Set(s.name, s.of(h))
		}
		d := draft{base: h}
		d.apply(form)
		if all, _ := differences(h, d.policy); len(all) > 0 || len(d.wrong) > 0 {
			t.Fatalf("%v %v\n%s", all, d.wrong, text)
		}
		document, _ := d.policy.document()
		var sent, asked any
		plain, _ := json.Marshal(document)
		_ = json.Unmarshal(plain, &sent)
		_ = json.Unmarshal([]byte(text), &asked)
		a, _ := json.Marshal(sent)
		b, _ := json.Marshal(asked)
		if string(a) != string(b) {
			t.Fatalf("sent\n%s\nread\n%s", a, b)
		}
		if q := d.query(); len(q) > 0 {
			t.Fatalf("the draft has %v", q)
		}
	}
}

// The address of a draft makes the same draft, wherever its sliders are.
func TestDraft_liveInItsAddress(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		base := readPolicy(t, policyText(r))
		moved := draft{base: base}
		form := url.Values{}
		for _, s := range sliders {
			if r.IntN(2) == 0 {
				form.Set(s.name, plainNumber(s.low+float64(r.IntN(int(s.high-s.low)+1))))
			}
		}
		moved.apply(form)
		again := draft{base: base}
		again.apply(moved.query())
		if all, _ := differences(moved.policy, again.policy); len(all) > 0 {
			t.Fatalf("%v becomes %v: %v", form, moved.query(), all)
		}
	}
}

// Later steps stay in order behind the first one, and come back with it.
func TestStretch(t *testing.T) {
	h := haggling{values: map[string]string{"curve.give_percent": "31, 67, 79, 87, 94, 100"}}
	move := stretch("curve.give_percent")
	for text, wanted := range map[string]string{
		"31":  "31, 67, 79, 87, 94, 100",
		"60":  "60, 80.9, 87.8, 92.5, 96.5, 100",
		"100": "100, 100, 100, 100, 100, 100",
		"0":   "0, 52.2, 69.6, 81.2, 91.3, 100",
		"x":   "x, 67, 79, 87, 94, 100",
	} {
		if got := move(h, text); got != wanted {
			t.Errorf("%s: %s, not %s", text, got, wanted)
		}
	}
}

// The draft names each field that it cannot parse, and a refusal of the API appears at the slider of its field.
func TestDraft_Apply_wrongNumbers(t *testing.T) {
	d := draft{base: readPolicy(t, policyText(rand.New(rand.NewPCG(5, 6))))}
	d.apply(url.Values{"round_cap": {"many"}, "give": {"fast"}, "leanings.volume": {"2"}, "min_margin_percent": {"15%"}})
	named := map[string]bool{}
	for _, w := range d.wrong {
		named[w.Field] = true
	}
	for _, field := range []string{"round_cap", "curve.give_percent", "leanings.volume"} {
		if !named[field] {
			t.Errorf("%s is not named: %v", field, d.wrong)
		}
	}
	if len(named) != 3 {
		t.Errorf("named are %v", d.wrong)
	}
	p := &problem{Details: []detail{{"policy.curve.give_percent.1", "must not be less than the previous one"}}}
	if wrongAt(p, "curve.give_percent") == "" || wrongAt(p, "curve.take_percent") != "" {
		t.Error("what the API names is not at its slider")
	}
}

// A preset is about how a shop haggles. Its limits stay.
func TestUnder_keepsLimits(t *testing.T) {
	now := readPolicy(t, policyText(rand.New(rand.NewPCG(7, 8))))
	start := readPolicy(t, policyText(rand.New(rand.NewPCG(9, 10)))).under(now)
	for _, name := range limits {
		if start.values[name] != now.values[name] {
			t.Errorf("%s is %s, not %s", name, start.values[name], now.values[name])
		}
	}
	if start.values["curve.give_percent"] == now.values["curve.give_percent"] {
		t.Error("the preset's way to come down is gone")
	}
}

func TestDifferences_countsWhatStays(t *testing.T) {
	was := readPolicy(t, policyText(rand.New(rand.NewPCG(11, 12))))
	now := was.clone()
	now.values["round_cap"], now.values["enabled"] = "19", map[bool]string{true: "", false: "on"}[was.values["enabled"] == "on"]
	now.segments = json.RawMessage(`[{"name":"Tents"}]`)
	all, same := differences(was, now)
	if len(all) != 3 || same != len(policyNumbers)-2 {
		t.Errorf("%d differ, %d do not: %v", len(all), same, all)
	}
}
