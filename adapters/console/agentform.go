package console

import "cmp"

var (
	handlerWords  = []option{{Value: "builtin", Word: "This server"}, {Value: "remote", Word: "A program of yours"}}
	providerWords = []option{{Value: "", Word: "The shop's default"}, {Value: "openai", Word: "OpenAI, or a server that speaks like it"}, {Value: "anthropic", Word: "Anthropic"}}
)

// agentFields returns the name, two fields for each step, the model's two, and one for each use of the model.
func agentFields(a *negotiator) []field {
	fields := []field{agentName(a.Name)}
	for _, h := range handled {
		is := a.Handlers[h.Value]
		fields = append(fields, field{
			Name:    "handlers." + h.Value + ".type",
			Label:   h.Word + " is served by",
			Kind:    "select",
			Options: chosen(handlerWords, cmp.Or(is.Type, "builtin")),
		}, field{
			Name:        "handlers." + h.Value + ".url",
			Label:       "Address of your program for " + lower(h.Word),
			Kind:        "url",
			Value:       is.URL,
			Most:        2048,
			Placeholder: "https://",
		})
	}
	fields = append(fields, field{
		Name:    "model.provider",
		Label:   "Provider",
		Kind:    "select",
		Options: chosen(providerWords, a.Model.Provider),
	}, field{
		Name:  "model.name",
		Label: "Model",
		Kind:  "text",
		Value: a.Model.Name,
		Most:  200,
		Help:  "Empty: the shop's default.",
	})
	for _, m := range byModel {
		fields = append(fields, field{
			Name:  "model." + m.Value,
			Label: m.Word,
			Kind:  "check",
			On:    a.Model.does(m.Value),
			Help:  m.Help,
		})
	}
	return fields
}

// split puts the form's fields into groups. The name stays.
func (a *agentView) split() {
	rest := a.Change.Fields[1:]
	a.Change.Fields = a.Change.Fields[:1]
	for _, h := range handled {
		a.Handlers = append(a.Handlers, handlerFields{
			Word: h.Word,
			Help: h.Help,
			Who:  rest[0],
			URL:  rest[1],
		})
		rest = rest[2:]
	}
	a.Model, a.Uses = rest[:2], rest[2:]
}

// readAgent converts the form to an agent of the API.
func (v *memberRequest) readAgent(a *negotiator) {
	f := v.r.PostForm
	a.Name = f.Get("name")
	for _, h := range handled {
		is := a.Handlers[h.Value]
		if kind := f.Get("handlers." + h.Value + ".type"); kind == "remote" {
			is = agentHandler{Type: kind, URL: f.Get("handlers." + h.Value + ".url")}
		} else if is.Type == "remote" {
			is = agentHandler{Type: "builtin"}
		}
		a.Handlers[h.Value] = is
	}
	a.Model = agentModel{
		Provider: f.Get("model.provider"),
		Name:     f.Get("model.name"),
		Wording:  f.Get("model.wording") != "",
		Strategy: f.Get("model.strategy") != "",
		Reasons:  f.Get("model.reasons") != "",
	}
}

// orNull returns the text, or nil if it is empty.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
