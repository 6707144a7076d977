package pricepath_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
	"github.com/haggle-commerce/haggle/domain/money"
)

// answered is a decision as the Management API writes it. Each case changes some of it.
const answered = `{"id":"dec_1","agent_id":"agt_1","session_id":"sess_1","negotiation_id":"neg_1","seq":4,"quote_id":"quo_1","product_id":"prod_1",
"variant_id":"var_1","quantity":1,"created_at":"2026-11-22T12:52:04.12Z","offer":141.11,"answer":{"response":"counter_offer","price":149.57},
"rule":"concession","handler":"builtin:haggle","fallback":null,"proposal":null,"policy_version":1,
"bounds":{"list":169.00,"opening":169.00,"target":158.13,"floor":140.00,"hint":140.00},
"progress":{"rounds":1,"moves":1,"best_offer":138.58,"counter":153.83},
"inputs":{"list_price":169.00,"cost":77.74,"competitor_price":null,"negotiable":true,"quantity":1,"stock":20,"cart_value":0.00,"category":"",
"claims":{"loyalty_tier":"gold","purchase_history":0,"urgency":""},"member":{"loyalty_tier":"","purchase_history":2},
"probed":{"session":1,"client":0,"product":2}},"message":null,"chain":null}`

func TestSteps_recordedDecisions(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, change     string // JSON that is laid over the decision
		shop, title, why string
	}{
		{"as it is", `{}`, "$149.57", "Buyer offers $141.11, shop comes down to $149.57.",
			"Up $2.53 since the last step that counted, so the shop came down $4.26."},
		{"an old rejection", `{"answer":{"response":"reject","price":null},"rule":"below_floor","offer":139.00}`,
			"Declines", "Buyer offers $139.00, shop declines.", "$1.00 under the floor, declined."},
		{"the handler was late", `{"fallback":"agent_timeout"}`, "$149.57", "Buyer offers $141.11, shop comes down to $149.57.",
			"Up $2.53 since the last step that counted, so the shop came down $4.26. The house rules answered in place of the agent (agent_timeout)."},
		{"a model's price", `{"rule":"agent_answer","handler":"model","proposal":149.57}`, "$149.57", "Buyer offers $141.11, shop comes down to $149.57.",
			"The model named $149.57, which the rules allow."},
		{"a program's acceptance", `{"rule":"agent_answer","handler":"builtin:gift","answer":{"response":"accept","price":141.11}}`,
			"Accepts", "Buyer offers $141.11, shop accepts.", "The program gift accepted the offer."},
		{"no price of an agent", `{"rule":"agent_answer","handler":null}`, "$149.57", "Buyer offers $141.11, shop comes down to $149.57.",
			"The agent named no price, so the shop’s is $149.57."},
		{"signals", `{"rule":"no_offer","offer":null,"progress":{"counter":null},"answer":{"response":"quote","price":160.00}}`,
			"$160.00", "Buyer asks the price, shop names $160.00.",
			"The shop starts $9.00 under list. It had claimed membership (gold) and 2 earlier purchases to weigh."},
		{"tries", `{"rule":"probing_limit","answer":{"response":"counter_offer","price":153.83}}`, "$153.83", "Buyer offers $141.11, shop holds $153.83.",
			"Too many prices were tried out (1 offer below the floor in this session, 2 sessions of this client about the product), so the price holds."},
		{"an offer at the price", `{"rule":"at_ask","offer":153.83,"answer":{"response":"accept","price":153.83}}`, "Accepts",
			"Buyer offers $153.83, shop accepts.", "The offer comes up to the shop’s price."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var d pricepath.Decision
			for _, text := range []string{answered, c.change} {
				if err := json.Unmarshal([]byte(text), &d); err != nil {
					t.Fatal(err)
				}
			}
			row := pricepath.Steps(mustPath(t, []pricepath.Decision{d}, pricepath.Options{Limits: true}))[0]
			if row.Shop != c.shop || row.Title != c.title || row.Why != c.why {
				t.Errorf("%q, %q, %q", row.Shop, row.Title, row.Why)
			}
		})
	}
}

// Some roles may read a session's history only, which has no bounds. It is enough for a chart.
func TestLarge_withoutBounds(t *testing.T) {
	t.Parallel()
	d := negotiate(plain, shopPolicy(172), 0, 138_58, 140_00, 141_11, 147_13).decisions()
	for i := range d {
		d[i].Bounds, d[i].Progress, d[i].Rule = pricepath.Bounds{}, pricepath.Progress{}, ""
	}
	p := mustPath(t, d, pricepath.Options{End: pricepath.End{Kind: pricepath.Deal}})
	for _, form := range []pricepath.Form{pricepath.Wide, pricepath.Narrow} {
		svg := pricepath.Large(p, form, 0)
		inside(t, parse(t, svg))
		if text := string(svg); !strings.Contains(text, "147.13") || strings.Contains(text, "List ") || strings.Contains(text, "$0.00") {
			t.Errorf("%s", text)
		}
	}
	if row := pricepath.Steps(p)[3]; row.Label != "Step 4: buyer offers $141.11, shop asks $149.57" || row.Why != "" || len(row.Flags) > 0 {
		t.Errorf("%+v", row)
	}
}

func TestPath_Chosen(t *testing.T) {
	t.Parallel()
	usual := negotiate(plain, shopPolicy(172), 0, 138_58, 140_00, 141_11, 147_13).decisions()
	p := mustPath(t, usual, pricepath.Options{End: pricepath.End{Kind: pricepath.Deal}})
	for asked, want := range map[int]int{0: 4, -1: 4, 6: 4, 1: 1, 5: 5} {
		if got := p.Chosen(asked); got != want {
			t.Errorf("step %d shows step %d, want %d", asked, got, want)
		}
	}
	if once := mustPath(t, usual[4:], pricepath.Options{}); once.Chosen(0) != 1 {
		t.Error("a path of an accepted offer alone has no step to show")
	}
}

// With the same Span, steps have the same x in all charts of an order, so a short path leaves space at the right.
func TestLarge_span(t *testing.T) {
	t.Parallel()
	xs := func(offers ...int64) []string {
		p := mustPath(t, negotiate(plain, shopPolicy(172), offers...).decisions(), pricepath.Options{Span: 4, Limits: true})
		var xs []string
		parse(t, pricepath.Large(p, pricepath.Wide, 0)).walk(func(d *drawn) {
			if d.XMLName.Local == "a" {
				xs = append(xs, d.Children[len(d.Children)-1].attr("x"))
			}
		})
		return xs
	}
	long, short := xs(0, 138_58, 140_00, 141_11), xs(0, 138_58)
	if len(long) != 4 || !slices.Equal(long[:2], short) {
		t.Errorf("steps lie at %v and %v", long, short)
	}
}

func TestEnd_dealWithoutDecision(t *testing.T) {
	t.Parallel()
	price := pricepath.Number("147.13")
	p := mustPath(t, negotiate(plain, shopPolicy(172), 0, 142_00).decisions(), pricepath.Options{End: pricepath.End{Kind: pricepath.Deal, Price: &price}})
	if svg := string(pricepath.Large(p, pricepath.Wide, 0)); !strings.Contains(svg, "Deal $147.13") || !strings.Contains(svg, "pp-ring") {
		t.Errorf("no deal in %s", svg)
	}
}

// The style sheet has every class of the charts, and uses only tokens of the console and no colors of its own.
func TestCSS_classesAndTokens(t *testing.T) {
	t.Parallel()
	used := regexp.MustCompile(`class="([^"]+)"`)
	for _, e := range examples() {
		p := mustPath(t, e.decisions, e.options)
		svg := string(pricepath.Large(p, pricepath.Wide, e.step) + pricepath.Large(p, pricepath.Narrow, e.step) + pricepath.Spark(p))
		for _, m := range used.FindAllStringSubmatch(svg, -1) {
			for class := range strings.FieldsSeq(m[1]) {
				if !regexp.MustCompile(`\.`+class+`\b`).MatchString(pricepath.CSS) && class != "pp-step" {
					t.Fatalf("%s: the style sheet has no class %s", e.name, class)
				}
			}
		}
	}
	tokens := []string{"surface", "line", "edge", "ink", "ink-2", "ink-3", "accent", "accent-bg", "buyer", "good", "bad", "font", "fast", "ease"}
	for _, m := range regexp.MustCompile(`var\(--([\w-]+)\)`).FindAllStringSubmatch(pricepath.CSS, -1) {
		if !slices.Contains(tokens, m[1]) {
			t.Errorf("--%s is no token of the console", m[1])
		}
	}
	if colour := regexp.MustCompile(`#[0-9A-Fa-f]{3}|rgb\(`).FindString(pricepath.CSS); colour != "" {
		t.Errorf("the style sheet has a colour of its own: %s", colour)
	}
}

// A session may have 1,000 offers. Their chart stays under 16 KiB.
func TestLarge_longestPath(t *testing.T) {
	t.Parallel()
	p := shopPolicy(172)
	p.Probing.Session, p.RoundCap = 0, 1000
	h := negotiate(plain, p, 0)
	for i := range int64(999) {
		h.say(100_00+i*i%3900, nil)
	}
	path := mustPath(t, h.decisions(), pricepath.Options{
		Limits:   true,
		Currency: money.USD,
		Format:   inDollars,
	})
	svg := pricepath.Large(path, pricepath.Narrow, 500)
	if len(svg) > 16<<10 {
		t.Errorf("a path of 1,000 steps takes %d bytes", len(svg))
	}
	linked(t, parse(t, svg), 1000)
}
