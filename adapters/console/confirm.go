package console

// confirmation asks before an action. It says what will happen, and asks for the input that the action needs.
type confirmation struct {
	ID     string // in the page, which links to it
	Title  string // the verb and the thing
	Means  []string
	Verb   string
	Danger bool
	Open   bool   // opened by the address, or because its action failed
	Back   string // where Cancel leads
	*form
}

// confirm makes a confirmation within a page. It prefixes the names of its fields, because a page has several confirmations.
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

// asksCode makes the form ask for a code if the shop requires one.
func (v *memberRequest) asksCode(f *form) *form {
	f.Code = f.Code || v.shop.asksCode
	return f
}
