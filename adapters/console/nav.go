package console

// place is a page in the navigation.
type place struct {
	Name  string // by which pages say where they are
	Word  string
	Short string // below its icon on phones; "": the word
	Icon  string
	path  string // continues the shop's
	group string // its heading; "": none
	tab   int    // its rank among the tabs of phones
	sees  func(frame) bool
}

// places are in the order of the side bar.
var places = []place{
	{Name: "today", Word: "Today", Icon: "today", tab: 1, sees: everybody},
	{Name: "orders", Word: "Orders", Icon: "orders", path: "/orders", group: "Sell", tab: 2, sees: frame.Sells},
	{Name: "returns", Word: "Returns", Icon: "back", path: "/returns", group: "Sell", tab: 5, sees: frame.Sells},
	{Name: "lost", Word: "Lost deals", Icon: "lost", path: "/lost", group: "Haggle", tab: 3, sees: frame.Limits},
	{Name: "policy", Word: "Policy studio", Short: "Policy", Icon: "policy", path: "/policy", group: "Haggle", tab: 4, sees: frame.Tunes},
	{Name: "money", Word: "Money", Icon: "money", path: "/money", group: "Run", tab: 6, sees: frame.Sells},
	{Name: "settings", Word: "Settings", Icon: "gear", path: "/settings", group: "Run", tab: 7, sees: everybody},
}

// mostTabs is how many tabs a phone has, with the one for the rest.
const mostTabs = 5

// entry is a place that the member may see.
type entry struct {
	place
	Address string
	Heading string // above it
	Current bool
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
	var t phoneTabs
	for _, e := range side {
		if e.tab < mostTabs {
			t.First = append(t.First, e)
			continue
		}
		t.Rest = append(t.Rest, e)
		t.Within = t.Within || e.Current
	}
	return t
}
