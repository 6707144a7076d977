package console

import (
	"encoding/json"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// haggling is a policy in the form of texts: each number by its name in the API.
type haggling struct {
	values   map[string]string
	segments json.RawMessage // a list, which forms can only remove
}

// numberKind is how a number of a policy is written.
type numberKind int

const (
	percentNumber numberKind = iota
	wholeNumber
	switchNumber // "on" or ""
	stepNumbers  // per cents in a row: "31, 67, 79"
	breakNumbers // per cents from a number of things on: "2: 5, 10: 15"
)

// policyNumber is a number of a policy.
type policyNumber struct {
	name  string // in the API, with the names of what it is in
	kind  numberKind
	label string
	help  string
}

// policyGroup are numbers that belong together.
type policyGroup struct {
	word    string
	numbers []policyNumber
}

// policyNumbers are all numbers of a policy, in the order of the API.
var policyNumbers = allNumbers()

func allNumbers() (all []policyNumber) {
	for _, g := range policyGroups {
		all = append(all, g.numbers...)
	}
	return all
}

// numberNamed is the number of a name.
func numberNamed(name string) policyNumber {
	for _, n := range policyNumbers {
		if n.name == name {
			return n
		}
	}
	return policyNumber{name: name, label: name}
}

// UnmarshalJSON reads a policy of the API.
func (h *haggling) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var document map[string]any
	if err := d.Decode(&document); err != nil {
		return err
	}
	var rest struct {
		Segments json.RawMessage `json:"segments"`
	}
	if err := json.Unmarshal(text, &rest); err != nil {
		return err
	}
	h.values, h.segments = map[string]string{}, rest.Segments
	for _, n := range policyNumbers {
		h.values[n.name] = n.kind.read(within(document, n.name))
	}
	return nil
}

// within returns the value in nested objects at a name with dots.
func within(document map[string]any, name string) any {
	head, rest, nested := strings.Cut(name, ".")
	if !nested {
		return document[head]
	}
	inner, _ := document[head].(map[string]any)
	return within(inner, rest)
}

// read converts a value of the API to the text of a form.
func (k numberKind) read(value any) string {
	switch x := value.(type) {
	case json.Number:
		return x.String()
	case bool:
		return map[bool]string{true: "on"}[x]
	case []any:
		var parts []string
		for _, one := range x {
			if b, ok := one.(map[string]any); ok {
				parts = append(parts, k.read(b["from"])+": "+k.read(b["lean_percent"]))
				continue
			}
			parts = append(parts, k.read(one))
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

var percentForm = regexp.MustCompile(`^-?[0-9]{1,6}(\.[0-9]{1,6})?$`)

// parse converts the text of a form to a value of the API.
func (k numberKind) parse(text string) (value any, wrong string) {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%"))
	switch k {
	case switchNumber:
		return text == "on", ""
	case stepNumbers:
		return parseList(text, func(one string) (any, string) { return percentNumber.parse(one) })
	case breakNumbers:
		return parseList(text, parseBreak)
	case wholeNumber:
		if n, err := strconv.Atoi(text); err == nil {
			return n, ""
		}
		return nil, "must be a whole number"
	}
	if !percentForm.MatchString(text) {
		return nil, "must be a number such as 12.5"
	}
	return json.Number(text), ""
}

func parseList(text string, one func(string) (any, string)) (any, string) {
	list := []any{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		value, wrong := one(part)
		if wrong != "" {
			return nil, "“" + part + "” " + wrong
		}
		list = append(list, value)
	}
	return list, ""
}

func parseBreak(text string) (any, string) {
	from, lean, ok := strings.Cut(text, ":")
	if !ok {
		return nil, "must be such as 2: 5, which is 5% from 2 on"
	}
	n, wrong := wholeNumber.parse(from)
	if wrong != "" {
		return nil, wrong
	}
	share, wrong := percentNumber.parse(lean)
	return map[string]any{"from": n, "lean_percent": share}, wrong
}

// document returns the policy in the form that the API takes. It leaves out values that it cannot parse and lists them in wrong.
func (h haggling) document() (document map[string]any, wrong []detail) {
	document = map[string]any{}
	if len(h.segments) > 0 {
		document["segments"] = h.segments
	}
	for _, n := range policyNumbers {
		value, why := n.kind.parse(h.values[n.name])
		if why != "" {
			wrong = append(wrong, detail{n.name, why})
			continue
		}
		put(document, n.name, value)
	}
	return document, wrong
}

func put(document map[string]any, name string, value any) {
	head, rest, nested := strings.Cut(name, ".")
	if !nested {
		document[head] = value
		return
	}
	inner, ok := document[head].(map[string]any)
	if !ok {
		inner = map[string]any{}
		document[head] = inner
	}
	put(inner, rest, value)
}

// clone returns an independent copy of a policy.
func (h haggling) clone() haggling { return haggling{maps.Clone(h.values), h.segments} }

// same reports whether a number is equal in both policies in any notation: 5, 5.0 and 5% are equal.
func (n policyNumber) same(a, b string) bool {
	if a == b {
		return true
	}
	x, wrongX := n.kind.parse(a)
	y, wrongY := n.kind.parse(b)
	if wrongX != "" || wrongY != "" {
		return false
	}
	return n.words(n.kind.read(plainJSON(x))) == n.words(n.kind.read(plainJSON(y)))
}

// plainJSON is a value as the API would send it.
func plainJSON(value any) (plain any) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	_ = d.Decode(&plain) // what was just written
	return plain
}

// words write a number for people.
func (n policyNumber) words(text string) string {
	switch {
	case n.kind == switchNumber:
		return map[bool]string{true: "On", false: "Off"}[text == "on"]
	case text == "":
		return "none"
	case n.kind == wholeNumber:
		return text
	case n.kind == breakNumbers:
		return breakWords(text)
	}
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		parts = append(parts, trimmed(strings.TrimSpace(part)))
	}
	return strings.Join(parts, ", ") + "%"
}

// trimmed writes a number without zeros at its end.
func trimmed(text string) string {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return strings.Replace(strconv.FormatFloat(x, 'f', -1, 64), "-", minus, 1)
	}
	return text
}

func breakWords(text string) string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		from, lean, _ := strings.Cut(part, ":")
		parts = append(parts, trimmed(strings.TrimSpace(lean))+"% from "+strings.TrimSpace(from))
	}
	return strings.Join(parts, ", ")
}

// partsOf returns the names of the parts of the catalog that have a curve of their own.
func (h haggling) partsOf() (names []string) {
	var parts []struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(h.segments, &parts) // the API's own
	for _, p := range parts {
		names = append(names, p.Name)
	}
	return names
}

// policyChange is a number that differs between two policies.
type policyChange struct{ Label, Name, Was, Now string }

// differences returns the changes from one policy to another, and the number of equal ones.
func differences(was, now haggling) (all []policyChange, same int) {
	for _, n := range policyNumbers {
		if n.same(was.values[n.name], now.values[n.name]) {
			same++
			continue
		}
		all = append(all, policyChange{n.label, n.name, n.words(was.values[n.name]), n.words(now.values[n.name])})
	}
	a, b := partWords(was.partsOf()), partWords(now.partsOf())
	switch {
	case sameJSON(was.segments, now.segments):
		same++
	case a == b:
		all = append(all, policyChange{partsLabel, "segments", a, b + ", with other numbers"})
	default:
		all = append(all, policyChange{partsLabel, "segments", a, b})
	}
	return all, same
}

const partsLabel = "Parts of the catalogue with a curve of their own"

func partWords(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return join(names)
}

// sameJSON reports whether lists are equal. A missing list equals an empty one.
func sameJSON(a, b json.RawMessage) bool {
	read := func(text json.RawMessage) string {
		var list []any
		_ = json.Unmarshal(text, &list) // the API's own
		if len(list) == 0 {
			return ""
		}
		plain, _ := json.Marshal(list)
		return string(plain)
	}
	return read(a) == read(b)
}
