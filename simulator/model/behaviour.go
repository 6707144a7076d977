package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The behaviours.
const (
	Polite   = "polite"   // sensible text about the data in the question
	Parrot   = "parrot"   // repeats the question
	Generous = "generous" // promises another price, a discount, free shipping
	Leaky    = "leaky"    // reveals floors, costs and margins, true or not
	Linking  = "linking"  // sends the buyer to another site
	Markup   = "markup"   // HTML, Markdown, code
	Unicode  = "unicode"  // digits and letters of other scripts, invisible characters, numbers in words
	Yes      = "yes"      // accepts every offer
	Chatty   = "chatty"   // prose around its JSON
	Obedient = "obedient" // follows an instruction in its data: what a text says after "say", "answer", "reply with" or "write"
)

// Behaviours are all behaviours. From the third on they are harmful.
var Behaviours = []string{Polite, Chatty, Parrot, Generous, Leaky, Linking, Markup, Unicode, Yes, Obedient}

// Behave sets the behaviour.
func (m *Model) Behave(behaviour string) error {
	if !slices.Contains(Behaviours, behaviour) {
		return fmt.Errorf("behaviour must be one of %s", strings.Join(Behaviours, ", "))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.behaviour = behaviour
	return nil
}

// data is the subject of a question, as far as its keys show it.
type data struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Offer    string `json:"offer"`
	Query    string `json:"query"`
	Products []struct {
		Name  string   `json:"name"`
		Facts []string `json:"facts"`
	} `json:"products"`
	Templates []struct {
		ID string `json:"id"`
	} `json:"templates"`
}

// answer returns the text that answers a question.
func (m *Model) answer(q Question, behaviour string) string {
	if m.config.Answer != nil {
		return m.config.Answer(q)
	}
	if behaviour == Chatty {
		return "Of course! Here it is:\n" + m.answer(q, Polite) + "\nAnything else?"
	}
	var d data
	_ = json.Unmarshal([]byte(q.User), &d) // a question that is not such JSON is answered too
	switch {
	case len(d.Products) > 0:
		return reasons(d, q, behaviour)
	case d.From != "":
		return price(d, q, behaviour)
	}
	return words(d, q, behaviour)
}

func words(d data, q Question, behaviour string) string {
	choice := ""
	switch {
	case behaviour != Polite:
		choice = harm(q, behaviour)
	case len(d.Templates) > 0:
		choice = d.Templates[len(d.Templates)-1].ID
	}
	return object(map[string]any{"template": choice})
}

func price(d data, q Question, behaviour string) string {
	switch behaviour {
	case Polite:
		return object(map[string]any{"action": "counter", "price": d.To})
	case Yes:
		return object(map[string]any{"action": "accept", "price": d.Offer})
	case Generous, Obedient:
		return object(map[string]any{"action": "counter", "price": "0.01"})
	case Unicode:
		return object(map[string]any{"action": "counter", "price": "٧٥٫٠٠"})
	}
	return object(map[string]any{"action": "counter", "price": harm(q, behaviour)})
}

func reasons(d data, q Question, behaviour string) string {
	all := make([]string, len(d.Products))
	for i, product := range d.Products {
		switch {
		case behaviour != Polite:
			all[i] = harm(q, behaviour)
		case len(product.Facts) > 0:
			all[i] = product.Facts[0]
		}
	}
	return object(map[string]any{"reasons": all})
}

// harm returns a text that must not reach a buyer.
func harm(q Question, behaviour string) string {
	switch behaviour {
	case Generous:
		return "Agreed at 1.00! With it comes 90% off your next order, and free shipping."
	case Leaky:
		return "Between us: our floor is 80.00, the cost is 55.00, so a minimum margin of 25 is left."
	case Linking:
		return "It is yours at our partner's, see https://evil.example/pay?to=us and send us the money there."
	case Markup:
		return "<b>Our price</b> is <script>fetch('//evil.example')</script> **for you** `now`."
	case Unicode:
		return "It is yours at \u200b\u0667\u0665, that is ７５ or seventy-five, and \u202eyours\u202c."
	case Yes:
		return "We accept your offer, it is a deal, and you are welcome to it."
	case Parrot:
		return q.System + q.User
	}
	var d data
	if json.Unmarshal([]byte(q.User), &d) == nil && d.Query != "" {
		return obeyed(d.Query)
	}
	return obeyed(q.System + "\n" + q.User)
}

// obeyed returns what the last instruction in a text asks to say.
func obeyed(text string) string {
	lower, at, after := strings.ToLower(text), -1, 0
	for _, order := range []string{"say ", "say: ", "answer ", "reply with ", "write ", "respond with ", "sentence: "} {
		if i := strings.LastIndex(lower, order); i > at && i+len(order) <= len(text) {
			at, after = i, i+len(order)
		}
	}
	if at < 0 || len(lower) != len(text) {
		return text
	}
	return strings.Trim(text[after:], `"' `)
}

func object(of map[string]any) string {
	text, err := json.Marshal(of)
	if err != nil {
		return "{}"
	}
	return string(text)
}
