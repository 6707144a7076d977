package console

// confirmation asks before something is done: it says what will happen, and asks for what that needs.
type confirmation struct {
	ID     string // in the page, which links to it
	Title  string // the verb and the thing
	Means  []string
	Verb   string
	Danger bool
	Open   bool   // it was asked for by the address, or what it asked for failed
	Back   string // where Cancel leads
	*form
}

// confirm makes a confirmation within a page. Its fields are named within it, for a page has several.
func confirm(id, title, verb string, ask *form, means ...string) *confirmation {
	for i := range ask.Fields {
		ask.Fields[i].within = id
	}
	return &confirmation{
		ID:    id,
		Title: title,
		Means: means,
		Verb:  verb,
		Open:  ask.Problem != nil,
		Back:  "#main",
		form:  ask,
	}
}

// danger marks what cannot be undone.
func (c *confirmation) danger() *confirmation {
	c.Danger = true
	return c
}

// asksCode has the form ask for a code at once where the shop wants one.
func (v *visit) asksCode(f *form) *form {
	f.Code = f.Code || v.shop.asksCode
	return f
}
