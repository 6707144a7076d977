package console

import (
	"net/http"
	"slices"
	"strconv"
)

// place is a page in the navigation.
type place struct {
	Name  string // by which pages say where they are
	Word  string
	Short string // below its icon on phones; "": the word
	Icon  string
	path  string   // continues the shop's
	group string   // its heading; "": none
	tab   int      // its rank among the tabs of phones
	waits []string // kinds of what waits there
	to    string   // what is to be done with them: "to ship"
	sees  func(frame) bool
}

// places are in the order of the side bar.
var places = []place{
	{
		Name: "today",
		Word: "Today",
		Icon: "today",
		tab:  1,
		to:   "kinds of things wait",
		sees: everybody,
	},
	{
		Name:  "orders",
		Word:  "Orders",
		Icon:  "orders",
		path:  "/orders",
		group: "Sell",
		tab:   2,
		waits: []string{"order_to_ship"},
		to:    "to ship",
		sees:  frame.Sells,
	},
	{
		Name:  "returns",
		Word:  "Returns",
		Icon:  "back",
		path:  "/returns",
		group: "Sell",
		tab:   5,
		waits: []string{"return_requested", "dispute_open"},
		to:    "to decide",
		sees:  frame.Sells,
	},
	{
		Name:  "catalogue",
		Word:  "Catalogue",
		Icon:  "box",
		path:  "/catalogue",
		group: "Sell",
		tab:   6,
		sees:  frame.Stocks,
	},
	{
		Name:  "lost",
		Word:  "Lost deals",
		Icon:  "lost",
		path:  "/lost",
		group: "Haggle",
		tab:   3,
		sees:  frame.Limits,
	},
	{
		Name:  "policy",
		Word:  "Policy studio",
		Short: "Policy",
		Icon:  "policy",
		path:  "/policy",
		group: "Haggle",
		tab:   4,
		sees:  frame.Tunes,
	},
	{
		Name:  "money",
		Word:  "Money",
		Icon:  "money",
		path:  "/money",
		group: "Run",
		tab:   7,
		waits: []string{"payment_unresolved", "refund_unresolved"},
		to:    "without an answer",
		sees:  frame.Sells,
	},
	{
		Name:  "integrations",
		Word:  "Integrations",
		Icon:  "sync",
		path:  "/integrations",
		group: "Run",
		tab:   8,
		waits: []string{"sync_failed"},
		to:    "failed",
		sees:  frame.Connects,
	},
	{
		Name:  "settings",
		Word:  "Settings",
		Icon:  "gear",
		path:  "/settings",
		group: "Run",
		tab:   9,
		sees:  everybody,
	},
}

// mostTabs is the number of tabs on phones, including the one for the rest.
const mostTabs = 5

// entry is a place that the member may see.
type entry struct {
	place
	Address string
	Heading string // above it
	Current bool
	Count   string // how many wait there; "": none
	To      string
}

// Side are the entries of the side bar.
func (f frame) Side() []entry {
	var seen []entry
	group := ""
	for _, p := range places {
		if !p.sees(f) {
			continue
		}
		e := entry{
			place:   p,
			Address: f.shop.Path() + p.path,
			Current: p.Name == f.Nav,
			Count:   f.counted(p),
			To:      p.to,
		}
		if e.Short == "" {
			e.Short = p.Word
		}
		if p.group != group {
			e.Heading, group = p.group, p.group
		}
		seen = append(seen, e)
	}
	return seen
}

// phoneTabs are the entries of a phone: those in its tabs, and the rest, which one more tab opens.
type phoneTabs struct {
	First, Rest []entry
	Within      bool // the page is among the rest
}

// Phone are the tabs of a phone.
func (f frame) Phone() phoneTabs {
	side := f.Side()
	if len(side) <= mostTabs {
		return phoneTabs{First: side}
	}
	ranks := make([]int, len(side))
	for i, e := range side {
		ranks[i] = e.tab
	}
	slices.Sort(ranks)
	var t phoneTabs
	for _, e := range side {
		if e.tab < ranks[mostTabs-1] {
			t.First = append(t.First, e)
			continue
		}
		t.Rest = append(t.Rest, e)
		t.Within = t.Within || e.Current
	}
	return t
}

// waitingCount is the number of waiting tasks of a kind.
type waitingCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
	More  bool   `json:"more"` // than that
}

// mostCounted is the largest number in the navigation.
const mostCounted = 99

// counted returns the number of waiting tasks at a place. Today shows the number of kinds.
func (f frame) counted(p place) string {
	n, more := 0, false
	for _, c := range f.waiting {
		if slices.Contains(p.waits, c.Kind) {
			n, more = n+c.Count, more || c.More
		}
	}
	if p.Name == "today" {
		n = len(f.waiting)
	}
	switch {
	case more || n > mostCounted:
		return strconv.Itoa(mostCounted) + "+"
	case n == 0:
		return ""
	}
	return strconv.Itoa(n)
}

// countWaiting reads the counts of waiting tasks for the navigation, unless the page has them or only a part of it is requested.
// If that fails, the page is shown without counts.
func (f *frame) countWaiting() {
	if f.shop == nil || f.waiting != nil || f.r.Header.Get("X-Part") != "" {
		return
	}
	found, err := fetch[list[waitingCount]](f.api, "/v1/attention/counts", nil)
	if err == nil {
		f.waiting = found.Data
	}
}

// render answers with a page in its frame.
func (v *memberRequest) render(w http.ResponseWriter, status int, name string, view any) error {
	if framed, ok := view.(interface{ countWaiting() }); ok {
		framed.countWaiting()
	}
	return v.console.render(w, status, name, view)
}
