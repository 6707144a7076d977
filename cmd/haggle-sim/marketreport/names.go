package marketreport

import (
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/app/simulating"
)

// name is a code's name in the report, and what it means.
type name struct{ Code, Name, Meaning string }

// strategies are the names of the buyers' negotiation strategies.
var strategies = []name{
	{"boulware", "Holds out", "Concedes little at first, and most shortly before its deadline."},
	{"linear", "Steady", "Raises its offer from the first offer to its limit in equal steps."},
	{"conceder", "Gives way early", "Concedes most at first, and little later."},
	{"hardliner", "Never moves", "Offers the same share of its limit every time."},
	{"tit-for-tat", "Mirrors the shop", "Concedes as much as the shop just conceded."},
	{"anchorer", "Starts low", "Raises its offer in equal steps, but starts at half of its limit."},
	{"cross-session", "Comes back", "Learns the hint in a first session. It starts a second one with the first offer of a firm buyer whose limit is the hint."},
	{"prober", "Probes", "Bisects the range between rejected and countered offers to find the floor."},
	{"random", "Unpredictable", "Makes random offers between its first offer and its limit."},
	{"impatient", "Impatient", "Has two rounds, and accepts any counteroffer within its limit."},
	{"splitter", "Meets halfway", "Offers halfway between its last offer and the standing price."},
}

// worths are the names of the distributions of buyers' reservation prices.
var worths = map[string]string{
	"uniform":   "Mixed",
	"normal-85": "Thrifty",
	"normal-90": "Typical",
	"normal-95": "Keen",
	"lognormal": "Skewed",
}

// margins are the names of the margins of the list price over the cost.
var margins = map[string]string{
	"c50": "wide margin",
	"c65": "thin margin",
}

func strategyName(code string) name {
	for _, s := range strategies {
		if s.Code == code {
			return s
		}
	}
	return name{code, code, code}
}

// populationName returns the name of a built-in population, and the code of any other.
func populationName(code string) string {
	at := strings.LastIndexByte(code, '-')
	if at < 0 {
		return code
	}
	who, margin := worths[code[:at]], margins[code[at+1:]]
	if who == "" || margin == "" {
		return code
	}
	return who + ", " + margin
}

func named(p simulating.Market) name {
	return name{p.Name, populationName(p.Name), p.Name + ": " + p.Title}
}

// earned is the margin from a number of buyers, with this seller and at the list price.
type earned struct {
	Buyers     int
	This, List string
	More       string // signed
	OfList     string // in percent, or "" if the list price earns nothing
	Loses      bool
}

// thousand is the number of buyers that amounts of money are given for.
const thousand = 1000

// money returns what a shop earns from equal parts of the populations.
func (r report) money() earned {
	var this, list float64
	for _, p := range r.Populations {
		this += p.Policy.Margin
		list += p.List.Margin
	}
	scale := thousand * float64(r.List) / 100 / float64(len(r.Populations))
	this, list = this*scale, list*scale
	e := earned{
		Buyers: thousand,
		This:   dollars(this),
		List:   dollars(list),
		More:   "+" + dollars(this-list),
		Loses:  this < list,
	}
	if e.Loses {
		e.More = "−" + dollars(list-this)
	}
	if list > 0 {
		e.OfList = fmt.Sprintf("%.0f %%", 100*this/list)
	}
	return e
}

// dollars formats whole US dollars, which is the currency of the simulation's list price.
func dollars(x float64) string {
	if x < 0 {
		return "−" + dollars(-x)
	}
	return "$" + thousands(int(x+.5))
}
