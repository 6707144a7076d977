package console

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// slider is a control over a number of a policy, in plain words.
type slider struct {
	name      string // in addresses
	number    string // the policy's
	label     string
	unit      string
	low, high float64 // of the track; a value beyond the end widens it
	ends      [2]string
	read      func(haggling) string
	write     func(h haggling, text string) string // what the policy's number becomes
	say       func(haggling) string
}

// sliders lists the six controls that most merchants need.
var sliders = []slider{
	{
		name:   "max_discount_percent",
		number: "max_discount_percent",
		label:  "Most discount",
		unit:   "%",
		high:   50,
		say: func(h haggling) string {
			if x, ok := numeric(h.values["max_discount_percent"]); ok {
				return "The lowest price is " + plainNumber(100-x) + "% of list."
			}
			return ""
		},
	},
	{
		name:   "min_margin_percent",
		number: "min_margin_percent",
		label:  "Least margin to keep",
		unit:   "%",
		high:   40,
		say:    func(haggling) string { return "Over cost. Raises the floor where cost is high." },
	},
	{
		name:   "give",
		number: "curve.give_percent",
		label:  "How fast you come down",
		unit:   "%",
		high:   100,
		ends:   [2]string{"Patient", "Quick"},
		read:   firstStep("curve.give_percent"),
		write:  stretch("curve.give_percent"),
		say:    func(haggling) string { return "Of the way to the floor at the first move that counts." },
	},
	{
		name:   "take",
		number: "curve.take_percent",
		label:  "How close is close enough",
		unit:   "%",
		high:   100,
		ends:   [2]string{"Strict", "Easy"},
		read:   firstStep("curve.take_percent"),
		write:  stretch("curve.take_percent"),
		say:    func(haggling) string { return "Of the distance left between your price and the floor." },
	},
	{
		name:   "meet",
		number: "curve.reach_percent",
		label:  "Meet strong first offers",
		unit:   "%",
		high:   40,
		ends:   [2]string{"Rarely", "Often"},
		read:   readReach,
		write:  writeReach,
		say:    sayReach,
	},
	{
		name:   "round_cap",
		number: "round_cap",
		label:  "Moves before the price is final",
		low:    1,
		high:   10,
		say:    func(haggling) string { return "After so many prices, none lower follows." },
	},
}

// of returns the slider's text for a policy.
func (s slider) of(h haggling) string {
	if s.read == nil {
		return h.values[s.number]
	}
	return s.read(h)
}

// set moves a slider. Text that equals what the slider shows already changes nothing.
func (s slider) set(h haggling, text string) {
	text = strings.TrimSuffix(strings.TrimSpace(text), "%")
	if numberNamed(s.number).kind.shows(s.of(h), text) {
		return
	}
	if s.write == nil {
		h.values[s.number] = text
		return
	}
	h.values[s.number] = s.write(h, text)
}

// shows reports whether two texts of a slider are the same number.
func (k numberKind) shows(a, b string) bool {
	x, okX := numeric(a)
	y, okY := numeric(b)
	return okX && okY && x == y || a == b
}

func numeric(text string) (float64, bool) {
	if !percentForm.MatchString(text) {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

// plainNumber formats a number with at most one decimal, as in policies.
func plainNumber(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// firstStep reads the first of a number's steps.
func firstStep(number string) func(haggling) string {
	return func(h haggling) string {
		first, _, _ := strings.Cut(h.values[number], ",")
		return strings.TrimSpace(first)
	}
}

// stretch sets the first of a number's steps. Later steps keep their share of the rest to 100.
func stretch(number string) func(haggling, string) string {
	return func(h haggling, text string) string {
		var was []float64
		for part := range strings.SplitSeq(h.values[number], ",") {
			x, ok := numeric(strings.TrimSpace(part))
			if !ok {
				return text
			}
			was = append(was, x)
		}
		first, ok := numeric(text)
		if !ok || first < 0 || first > 100 {
			return strings.Join(append([]string{text}, written(was[1:])...), ", ")
		}
		now := []float64{first}
		for _, x := range was[1:] {
			next := 100.0
			if was[0] < 100 {
				next = 100 - (100-x)*(100-first)/(100-was[0])
			}
			now = append(now, max(now[len(now)-1], math.Round(next*10)/10))
		}
		return strings.Join(written(now), ", ")
	}
}

func written(numbers []float64) (texts []string) {
	for _, x := range numbers {
		texts = append(texts, plainNumber(x))
	}
	return texts
}

// readReach returns how far below the floor a first offer may be and still gets a counter. With the reach r that is 1 − 1/r of
// the floor; merchants see the reach over 100, which is close to it.
func readReach(h haggling) string {
	x, ok := numeric(h.values["curve.reach_percent"])
	if !ok {
		return h.values["curve.reach_percent"]
	}
	return plainNumber(x - 100)
}

func writeReach(_ haggling, text string) string {
	x, ok := numeric(text)
	if !ok {
		return text
	}
	return plainNumber(100 + x)
}

func sayReach(h haggling) string {
	above, ok := numeric(h.values["curve.markup_percent"])
	if !ok {
		return ""
	}
	return "How far above a first offer the floor may be. Met once, at " + plainNumber(above-100) + "% above the offer."
}

// sliderView is a slider as a page has it.
type sliderView struct {
	Name, ID, Label, Unit string
	Value                 string
	Low, High, Step       string
	LowWord, HighWord     string
	At, Was               string // places on the track, in per cent of it
	Said, Wrong           string
	Changed, Fixed        bool
	API                   string
}

// view returns a slider of a draft, with the value of the policy in force.
func (s slider) view(draft, inForce haggling, wrong, caps string) sliderView {
	now, was := s.of(draft), s.of(inForce)
	x, _ := numeric(now)
	y, _ := numeric(was)
	high := s.high
	for _, wider := range []float64{90, 200, 1000} {
		if max(x, y) > high {
			high = max(high, wider)
		}
		if max(x, y) <= high {
			break
		}
	}
	place := func(x float64) string {
		return coordinate(100*min(1, max(0, (x-s.low)/(high-s.low)))) + "%"
	}
	v := sliderView{
		Name:     s.name,
		ID:       "s-" + s.name,
		Label:    s.label,
		Unit:     s.unit,
		Value:    now,
		Low:      plainNumber(s.low),
		High:     plainNumber(high),
		LowWord:  cmp.Or(s.ends[0], plainNumber(s.low)+s.unit),
		HighWord: cmp.Or(s.ends[1], plainNumber(high)+s.unit),
		At:       place(x),
		Was:      place(y),
		Wrong:    wrong,
		Changed:  !numberNamed(s.number).kind.shows(now, was),
		API:      s.number,
	}
	said := []string{s.say(draft), caps}
	if v.Changed {
		said = append(said, "Was "+was+s.unit+".")
	}
	v.Said = strings.TrimSpace(strings.Join(said, " "))
	return v
}
