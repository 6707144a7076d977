package simulating

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/market"
)

// part is a part of families.
type part struct {
	name string
	has  func(market.Parts) bool
}

func (p part) without(f market.Tactic) bool { return !p.has(f.Parts) }

// leftOutParts returns the parts of families, without those that most families have: without them few would be left.
func leftOutParts(families []market.Tactic) (parts []part) {
	kinds := []struct {
		name string
		of   func(market.Parts) string
	}{
		{"bidding", func(p market.Parts) string { return p.Bidding }},
		{"acceptance", func(p market.Parts) string { return p.Acceptance }},
		{"patience", func(p market.Parts) string { return p.Patience }},
		{"memory", func(p market.Parts) string { return p.Memory }},
	}
	for _, kind := range kinds {
		counts := map[string]int{}
		var names []string
		for _, f := range families {
			name := kind.of(f.Parts)
			if counts[name]++; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		for _, name := range names {
			if 2*counts[name] > len(families) {
				continue
			}
			parts = append(parts, part{kind.name + ": " + name, func(p market.Parts) bool { return kind.of(p) == name }})
		}
	}
	return parts
}

// OtherBuyers returns a configuration with other buyers, ten times as many, for judging what was chosen.
func (c FamilyConfig) OtherBuyers() FamilyConfig {
	c.Seed++
	c.Buyers *= 10
	return c
}

// leaveOut chooses a policy without the families that have a part, and plays it with buyers of another seed.
func (r *robust) leaveOut(p part) (LeftOut, error) {
	out := LeftOut{Part: p.name}
	out.Policy, _ = r.best(p.without)
	c := r.OtherBuyers()
	c.SellerOf = SellersOf(out.Policy)
	report, err := PlayFamilies(r.ctx, c)
	if err != nil {
		return out, err
	}
	left := map[string]bool{}
	for _, f := range r.Families {
		if p.has(f.Parts) {
			left[f.Name] = true
			out.Families = append(out.Families, f.Name)
		}
	}
	for _, cell := range report.Cells {
		if left[cell.Family] {
			out.cells = append(out.cells, cell)
		}
	}
	out.In = summarize("", report.Cells, func(one FamilyCell) bool { return !left[one.Family] })
	out.Out = summarize("", out.cells, func(FamilyCell) bool { return true })
	return out, nil
}

// leaveOneOut plays each family with the policy that is best without it, of those tried.
func (r *robust) leaveOneOut() (*FamilyReport, error) {
	var cells []FamilyCell
	for _, f := range r.Families {
		if len(r.Families) == 1 {
			break // no policy can be chosen without it
		}
		policy, _ := r.best(func(other market.Tactic) bool { return other.Name != f.Name })
		c := r.OtherBuyers()
		c.Families, c.SellerOf = []market.Tactic{f}, SellersOf(policy)
		report, err := PlayFamilies(r.ctx, c)
		if err != nil {
			return nil, err
		}
		cells = append(cells, report.Cells...)
	}
	return r.summarize(cells), nil
}

// summarizeLeftOut returns what is earned from each family when it is left out, averaged over the parts that it has.
func (r *robust) summarizeLeftOut(all []LeftOut) *FamilyReport {
	var cells []FamilyCell
	counts := map[string]int{}
	for _, one := range all {
		for _, cell := range one.cells {
			at := slices.IndexFunc(cells, func(c FamilyCell) bool { return c.Family == cell.Family && c.Setting == cell.Setting })
			if at < 0 {
				at, cells = len(cells), append(cells, FamilyCell{Family: cell.Family, Setting: cell.Setting})
			}
			counts[cell.Family+cell.Setting]++
			cells[at].OfPosted.Value += cell.OfPosted.Value
			cells[at].OfPosted.Error += cell.OfPosted.Error // of the same buyers
			cells[at].OfOptimum.Value += cell.OfOptimum.Value
			cells[at].Margin += cell.Margin
			cells[at].Posted += cell.Posted
		}
	}
	for i := range cells {
		n := float64(counts[cells[i].Family+cells[i].Setting])
		cells[i].OfPosted.Value /= n
		cells[i].OfPosted.Error /= n
		cells[i].OfOptimum.Value /= n
		cells[i].Margin /= n
		cells[i].Posted /= n
	}
	left := r.FamilyConfig
	left.Families = slices.DeleteFunc(slices.Clone(left.Families), func(f market.Tactic) bool {
		return !slices.ContainsFunc(cells, func(c FamilyCell) bool { return c.Family == f.Name })
	})
	return left.summarize(cells)
}
