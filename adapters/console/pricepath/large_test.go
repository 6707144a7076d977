package pricepath_test

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
	"github.com/haggle-commerce/haggle/domain/money"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestPath_golden(t *testing.T) {
	t.Parallel()
	for _, e := range examples() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			p := mustPath(t, e.decisions, e.options)
			golden(t, e.name+".wide.svg", string(pricepath.Large(p, pricepath.Wide, e.step)))
			golden(t, e.name+".narrow.svg", string(pricepath.Large(p, pricepath.Narrow, e.step)))
			golden(t, e.name+".spark.svg", string(pricepath.Spark(p)))
			golden(t, e.name+".txt", describe(pricepath.Steps(p)))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got += "\n"; got != string(want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("%s differs (go test -update writes it anew): …%.120s, want …%.120s", file, got[at:], want[at:])
	}
}

// drawn is an SVG element as a browser parses it.
type drawn struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []drawn    `xml:",any"`
}

func (d *drawn) attr(name string) string {
	for _, a := range d.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (d *drawn) walk(visit func(*drawn)) {
	visit(d)
	for i := range d.Children {
		d.Children[i].walk(visit)
	}
}

func parse(t rapid.TB, svg template.HTML) *drawn {
	t.Helper()
	var root drawn
	if err := xml.Unmarshal([]byte(svg), &root); err != nil {
		t.Fatalf("%v in %s", err, svg)
	}
	return &root
}

var number = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// Drawings of random histories stay in their view box, their labels do not overlap, and each step has a link and a row.
func TestLarge_randomHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := histories().Draw(t, "history")
		p := randomPath(t, h)
		step := rapid.IntRange(-1, p.Len()+1).Draw(t, "step")
		for _, form := range []pricepath.Form{pricepath.Wide, pricepath.Narrow} {
			svg := pricepath.Large(p, form, step)
			if svg != pricepath.Large(p, form, step) {
				t.Fatal("the same path gives other bytes")
			}
			root := parse(t, svg)
			inside(t, root)
			apart(t, root, form)
			linked(t, root, p.Len())
		}
		inside(t, parse(t, pricepath.Spark(p)))
		if rows := pricepath.Steps(p); len(rows) != len(h.rounds) {
			t.Fatalf("%d rows of %d steps", len(rows), len(h.rounds))
		}
	})
}

func randomPath(t *rapid.T, h *history) *pricepath.Path {
	kind := rapid.SampledFrom([]pricepath.EndKind{pricepath.Open, pricepath.Left, pricepath.Deal}).Draw(t, "end")
	p, err := pricepath.New(h.decisions(), pricepath.Options{
		Prefix:   "x",
		Product:  "Lamp",
		Currency: h.signals.List.Currency(),
		End:      pricepath.End{Kind: kind},
		Limits:   rapid.Bool().Draw(t, "limits"),
		Format:   inDollars,
		Span:     rapid.IntRange(0, 12).Draw(t, "span"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// inside checks every coordinate against the view box.
func inside(t rapid.TB, root *drawn) {
	var box [4]float64
	for i, n := range strings.Fields(root.attr("viewBox")) {
		box[i], _ = strconv.ParseFloat(n, 64)
	}
	within := func(what, n string, most float64) {
		v, err := strconv.ParseFloat(n, 64)
		if err != nil || v < 0 || v > most {
			t.Fatalf("%s %q is not within 0 and %g", what, n, most)
		}
	}
	root.walk(func(d *drawn) {
		for _, a := range d.Attrs {
			switch a.Name.Local {
			case "x", "cx", "width":
				within(d.XMLName.Local+" "+a.Name.Local, a.Value, box[2])
			case "y", "cy", "height":
				within(d.XMLName.Local+" "+a.Name.Local, a.Value, box[3])
			case "style":
				t.Fatal("there is a style attribute, which the content security policy refuses")
			case "d":
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("the path %q has no number", a.Value)
				}
				for _, point := range regexp.MustCompile(`[ML](\S+?) (-?[\d.]+)|H(-?[\d.]+)|V(-?[\d.]+)`).FindAllStringSubmatch(a.Value, -1) {
					for i, most := range []float64{box[2], box[3], box[2], box[3]} {
						if point[i+1] != "" {
							within("path", point[i+1], most)
						}
					}
				}
			}
		}
	})
}

// apart checks that the labels in the right margin do not overlap.
func apart(t rapid.TB, root *drawn, form pricepath.Form) {
	if form != pricepath.Wide {
		return
	}
	var ys []float64
	root.walk(func(d *drawn) {
		for _, word := range []string{"List ", "Target ", "Floor ", "Deal ", "Left", "Under way"} {
			if d.XMLName.Local == "text" && strings.HasPrefix(d.Text, word) {
				y, _ := strconv.ParseFloat(d.attr("y"), 64)
				ys = append(ys, y)
			}
		}
	})
	if len(ys) < 2 {
		t.Fatalf("only %d labels in the margin", len(ys))
	}
	for i, a := range ys {
		for _, b := range ys[:i] {
			if diff := a - b; diff > -25.9 && diff < 25.9 {
				t.Fatalf("labels in the margin overlap: %v", ys)
			}
		}
	}
}

// linked checks that every step is part of one link, in order.
func linked(t rapid.TB, root *drawn, steps int) {
	next, current := 1, 0
	root.walk(func(d *drawn) {
		if d.XMLName.Local != "a" {
			return
		}
		name := d.attr("aria-label")
		head, _, _ := strings.Cut(name, ":")
		covered := number.FindAllString(head, 2)
		from, _ := strconv.Atoi(covered[0])
		to, _ := strconv.Atoi(covered[len(covered)-1])
		if from != next || !strings.Contains(d.attr("href"), "?step=") {
			t.Fatalf("the link %q to %q follows step %d", name, d.attr("href"), next-1)
		}
		next = to + 1
		if d.attr("aria-current") != "" {
			current++
		}
	})
	if next != steps+1 || current != 1 {
		t.Fatalf("the links cover %d of %d steps, %d are current", next-1, steps, current)
	}
}

// Without Options.Limits, charts and rows do not depend on the limits, and sentences have no amounts.
func TestOptions_hiddenLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := histories().Draw(t, "history")
		given := h.decisions()
		other := slices.Clone(given)
		for i := range other {
			other[i].Bounds.Floor, other[i].Bounds.Target, other[i].Bounds.Opening, other[i].Proposal = "1", "2", "3", nil
		}
		o := pricepath.Options{Currency: h.signals.List.Currency(), Format: pricepath.Format{Money: tagged}}
		a, err := pricepath.New(given, o)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := pricepath.New(other, o)
		for _, form := range []pricepath.Form{pricepath.Wide, pricepath.Narrow} {
			if pricepath.Large(a, form, 0) != pricepath.Large(b, form, 0) {
				t.Fatal("the chart depends on hidden limits")
			}
		}
		if pricepath.Spark(a) != pricepath.Spark(b) {
			t.Fatal("the sparkline depends on hidden limits")
		}
		rows := pricepath.Steps(a)
		for i, row := range pricepath.Steps(b) {
			if row.Why != rows[i].Why || row.Title != rows[i].Title || row.Label != rows[i].Label || row.Name != rows[i].Name {
				t.Fatalf("row %d depends on hidden limits: %+v, %+v", i, row, rows[i])
			}
			if strings.Contains(row.Why, "⟦") {
				t.Fatalf("%q has an amount", row.Why)
			}
		}
	})
}

func TestLarge_hostileText(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(1)</script>'&` + "\x00"
	o := pricepath.Options{
		Prefix:  hostile,
		Product: hostile,
		Limits:  true,
		Href:    func(int) string { return "?a=1&b=" + hostile },
		Format:  pricepath.Format{Money: func(a money.Amount) string { return hostile + a.String() }},
	}
	d := nine()
	for i := range d {
		d[i].Rule, d[i].Answer.Response = hostile, hostile
	}
	p := mustPath(t, d, o)
	for _, svg := range []template.HTML{pricepath.Large(p, pricepath.Wide, 0), pricepath.Large(p, pricepath.Narrow, 0), pricepath.Spark(p)} {
		if strings.Contains(string(svg), "<script") || strings.Contains(string(svg), "\x00") {
			t.Errorf("hostile text comes through: %s", svg)
		}
		parse(t, svg).walk(func(d *drawn) {
			if d.XMLName.Local == "script" {
				t.Error("there is a script")
			}
		})
	}
}

func TestSplit_byLine(t *testing.T) {
	t.Parallel()
	var given []pricepath.Decision
	const list = `[{"seq":3,"product_id":"a","variant_id":"m","quantity":1,"offer":147.13},{"seq":2,"product_id":"b","variant_id":"m","quantity":1,"offer":null},
		{"seq":1,"product_id":"a","variant_id":"m","quantity":1,"bounds":{"list":169.00},"answer":{"response":"quote","price":169.00}}]`
	if err := json.Unmarshal([]byte(list), &given); err != nil {
		t.Fatal(err)
	}
	lines := pricepath.Split(given)
	if len(lines) != 2 || lines[0].Product != "a" || lines[1].Product != "b" || len(lines[0].Decisions) != 2 || lines[0].Decisions[0].Seq != 1 {
		t.Fatalf("split into %+v", lines)
	}
	if got := *lines[0].Decisions[1].Offer; got != "147.13" {
		t.Errorf("the offer reads as %s", got)
	}
}

func TestNew_invalid(t *testing.T) {
	t.Parallel()
	if _, err := pricepath.New(nil, pricepath.Options{Currency: money.USD}); err == nil {
		t.Error("a path of no decisions is made")
	}
	d := nine()
	d[0].Bounds.List = "169.001"
	if _, err := pricepath.New(d, pricepath.Options{Currency: money.USD, Format: inDollars}); err == nil {
		t.Error("an amount with more decimals than its currency has is read")
	}
}

func BenchmarkLarge(b *testing.B) {
	p := mustPath(b, nine(), pricepath.Options{
		Product: "Selvedge Denim Jacket",
		Limits:  true,
		Format:  inDollars,
	})
	b.ReportAllocs()
	for b.Loop() {
		pricepath.Large(p, pricepath.Wide, 0)
	}
}

func BenchmarkPage(b *testing.B) {
	d := nine()
	b.ReportAllocs()
	for b.Loop() {
		p := mustPath(b, d, pricepath.Options{
			Product: "Selvedge Denim Jacket",
			Limits:  true,
			Format:  inDollars,
		})
		pricepath.Large(p, pricepath.Wide, 0)
		pricepath.Large(p, pricepath.Narrow, 0)
		pricepath.Steps(p)
	}
}
