package marketreport

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

// Families is a policy's result with families of buyers, with what the report shows beside it.
type Families struct {
	Report   *simulating.FamilyReport
	LeftOut  *simulating.FamilyReport // of policies that were chosen without each family; nil: not judged
	Parts    *simulating.FamilyReport // of policies that were chosen without all families that share a part with each; nil as LeftOut
	Settings []market.Setting         // of the report
	Policy   string                   // its name
	Seed     uint64
	Buyers   int // of each family in each setting
	Visitors int // in a month, who negotiate
}

// WriteFamilies writes a report on families as one self-contained page.
func WriteFamilies(w io.Writer, f *Families) error {
	return page.ExecuteTemplate(w, "familypage", f.view())
}

type familiesView struct {
	*Families
	Summary  string
	Rows     []familyRow // the worst mean first
	Months   []month
	Informed []simulating.InformedResult

	ByFamily, BySetting template.HTML
}

type familyRow struct {
	simulating.FamilySummary
	Left  []*simulating.FamilySummary // alone, and with its parts; nil where it is not left out
	Cells []simulating.FamilyCell     // by setting
}

// month is what a shop of a setting earns in a month.
type month struct {
	Setting, List, Cost, Discount, Policy, Posted, Difference, Spread string
	Pieces                                                            int
}

func (f *Families) view() *familiesView {
	v := &familiesView{
		Families: f,
		Summary:  f.summary(),
		Informed: f.Report.Informed,
		BySetting: barChart("Margin by setting, in percent of the best fixed price's", "margin, % of the best fixed price's", 100, "%.0f %%",
			familyBars(f.Report.Settings)),
	}
	for _, of := range byMean(f.Report.Families) {
		row := familyRow{FamilySummary: of}
		for _, cell := range f.Report.Cells {
			if cell.Family == of.Name {
				row.Cells = append(row.Cells, cell)
			}
		}
		if f.LeftOut != nil {
			row.Left = []*simulating.FamilySummary{familyIn(f.LeftOut, of.Name), familyIn(f.Parts, of.Name)}
		}
		v.Rows = append(v.Rows, row)
	}
	v.ByFamily = barChart("Margin by family, in percent of the best fixed price's", "margin, % of the best fixed price's", 100, "%.0f %%",
		familyBars(byMean(f.Report.Families)))
	for _, s := range f.Settings {
		v.Months = append(v.Months, f.month(s))
	}
	return v
}

func familyIn(r *simulating.FamilyReport, family string) *simulating.FamilySummary {
	at := slices.IndexFunc(r.Families, func(s simulating.FamilySummary) bool { return s.Name == family })
	if at < 0 {
		return nil
	}
	return &r.Families[at]
}

func (f *Families) summary() string {
	r, beaten := f.Report, 0
	for _, of := range r.Families {
		if of.OfPosted.Value > 1 {
			beaten++
		}
	}
	return fmt.Sprintf("%s buyers of each of %d families, taken from the literature and from how assistants bargain, negotiated in each of %d settings. "+
		"The policy earned %s of the margin of the best fixed price that it may name (± %.1f), and more than that price from %d of the families. The worst case is %s buyers in the setting %s, at %s.",
		thousands(f.Buyers), len(r.Families), len(r.Settings), percent(r.Mean.Value), 100*confidence*r.Mean.Error, beaten, r.Worst.Family, r.Worst.Setting, percent(r.Worst.OfPosted.Value))
}

func byMean(all []simulating.FamilySummary) []simulating.FamilySummary {
	return slices.SortedStableFunc(slices.Values(all), func(a, b simulating.FamilySummary) int { return cmp.Compare(a.OfPosted.Value, b.OfPosted.Value) })
}

func familyBars(all []simulating.FamilySummary) (bars []bar) {
	for _, s := range all {
		bars = append(bars, bar{
			label:  s.Name,
			class:  "in",
			value:  100 * s.OfPosted.Value,
			spread: 100 * confidence * s.OfPosted.Error,
			mark:   max(100*s.Worst.OfPosted.Value, 0),
		})
	}
	return bars
}

// month returns what visitors of a setting bring in a month, equal numbers of each family.
func (f *Families) month(s market.Setting) month {
	policy, posted, off, n := 0., 0., 0., 0.
	for _, cell := range f.Report.Cells {
		if cell.Setting == s.Name {
			policy, posted, n = policy+cell.Margin, posted+cell.Posted, n+1
			off += cell.OfPosted.Error * cell.Posted // all families have the same buyers
		}
	}
	scale := float64(f.Visitors) / n / 100
	difference := dollars((policy - posted) * scale)
	if policy >= posted {
		difference = "+" + difference
	}
	return month{
		Setting:    s.Name,
		List:       fmt.Sprintf("$%.2f", float64(s.List)/100),
		Cost:       fmt.Sprintf("%.0f", 100*s.Cost),
		Discount:   fmt.Sprintf("%g", float64(s.MaxDiscount)/10),
		Pieces:     s.Quantity,
		Policy:     dollars(policy * scale),
		Posted:     dollars(posted * scale),
		Difference: difference,
		Spread:     dollars(confidence * off * scale),
	}
}
