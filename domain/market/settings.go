package market

import (
	"fmt"
	"slices"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Setting is an item on sale, the shop's limits, and what buyers would pay for it.
type Setting struct {
	Name        string
	List        int64 // in minor units
	Cost        float64
	MaxDiscount money.Percent
	Quantity    int
	Worths      Worths
}

// Item returns the item.
func (s Setting) Item() Item { return Population{s.Worths, s.Cost}.Item(s.List) }

// Settings returns the settings by which a policy is judged with Families: cheap and expensive goods, cost shares of 30 to 85 %,
// discounts of 10 to 35 %, quantities of one and more.
func Settings() []Setting {
	setting := func(name string, list int64, cost float64, percent money.Percent, quantity int, worths Worths) Setting {
		return Setting{
			Name:        name,
			List:        list,
			Cost:        cost,
			MaxDiscount: 10 * percent,
			Quantity:    quantity,
			Worths:      worths,
		}
	}
	return []Setting{
		setting("snack", 8_00, .30, 20, 1, Normal(.90, .12)),
		setting("soap", 12_00, .55, 35, 1, Uniform(.60, 1.10)),
		setting("book", 25_00, .85, 10, 1, Normal(.98, .06)),
		setting("shirts", 40_00, .45, 25, 3, LogNormal(.88, .18)),
		setting("lamp", 60_00, .65, 15, 1, Uniform(.75, 1.15)),
		setting("tent", 100_00, .50, 20, 1, Normal(.90, .10)),
		setting("stove", 137_77, .55, 20, 1, Normal(.85, .12)),
		setting("chairs", 180_00, .30, 35, 2, Two(Normal(.70, .06), Normal(1.00, .06), .5)),
		setting("drill", 240_00, .75, 15, 1, Normal(.95, .08)),
		setting("phone", 450_00, .60, 25, 1, LogNormal(.92, .14)),
		setting("bicycle", 999_00, .70, 10, 1, Normal(.96, .10)),
		setting("camera", 2_000_00, .85, 10, 1, Uniform(.88, 1.08)),
		setting("sofas", 2_000_00, .50, 30, 5, Two(Normal(.78, .08), Normal(.98, .05), .6)),
	}
}

// SettingsNamed returns the settings with these names.
func SettingsNamed(names ...string) (found []Setting, err error) {
	all := Settings()
	for _, name := range names {
		i := slices.IndexFunc(all, func(s Setting) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no setting is named %q; there are %s", name, listed(all, func(s Setting) string { return s.Name }))
		}
		found = append(found, all[i])
	}
	return found, nil
}

// Draw draws a buyer of this setting.
func (s Setting) Draw(r Random, h Habits) Buyer {
	return Population{s.Worths, s.Cost}.Draw(r, h, s.List)
}
