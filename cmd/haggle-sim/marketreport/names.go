package marketreport

import (
	"fmt"
	"strings"

	"github.com/haggle-commerce/haggle/app/simulating"
)

// name is what a reader is told instead of a code, and what that means.
type name struct{ Code, Name, Meaning string }

// strategies are the buyers' ways to haggle.
var strategies = []name{
	{"boulware", "Holds out", "Holds out, and gives way shortly before its deadline."},
	{"linear", "Steady", "Goes from its first offer to its limit in equal steps."},
	{"conceder", "Gives way early", "Gives way at once, and little later."},
	{"hardliner", "Never moves", "Offers the same share of its limit every time."},
	{"tit-for-tat", "Mirrors the shop", "Gives as much as it was just given."},
	{"anchorer", "Starts low", "Steady, but starts at half of its limit."},
	{"cross-session", "Comes back", "Hears the hint in a first session, and begins a second one where a firm buyer would who can just pay it."},
	{"prober", "Probes", "Halves what is left between rejected and countered offers, to find the floor."},
	{"random", "Unpredictable", "Offers anything between its first offer and its limit."},
	{"impatient", "Impatient", "Has two rounds, and takes any counter that it can pay."},
	{"splitter", "Meets halfway", "Meets the standing price halfway."},
}

// worths are what buyers of a population would pay at most.
var worths = map[string]string{
	"uniform":   "Mixed",
	"normal-85": "Thrifty",
	"normal-90": "Typical",
	"normal-95": "Keen",
	"lognormal": "Skewed",
}

// margins are what is left of the list price above the cost.
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

// populationName names one of the built-in populations; others keep their codes.
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

// earned is the margin of so many buyers, by this seller and by the list price alone.
type earned struct {
	Buyers     int
	This, List string
	More       string // with its sign
	OfList     string // in percent; "": the list price alone earns nothing
	Loses      bool
}

// thousand is for how many buyers money is told.
const thousand = 1000

// money is what a shop with equal parts of the populations earns.
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

// dollars are whole ones: the simulation's list price is in US dollars.
func dollars(x float64) string {
	if x < 0 {
		return "−" + dollars(-x)
	}
	return "$" + thousands(int(x+.5))
}
