package personalization

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Mode is whether personal signals count in a region. The zero Mode is Allowed.
type Mode struct{ name string }

var (
	Allowed   = Mode{"allowed"}   // they count, and the price says so
	Disclosed = Mode{"disclosed"} // they count, and the price says so with the disclosure text
	Off       = Mode{"off"}       // they do not count, except for the limit on probing
)

// Modes are all modes by name.
var Modes = map[string]Mode{"allowed": Allowed, "disclosed": Disclosed, "off": Off}

func (m Mode) String() string { return m.name }

// Rules are a shop's rules for personal signals. The zero Rules allow them everywhere, without a text.
type Rules struct {
	Default    Mode   // of regions without a rule
	Disclosure string // of regions without a text of their own
	Regions    []Region
}

// Region is the rule of a region: a country (ISO 3166-1 alpha-2), a part of one (ISO 3166-2, such as US-NY), or EU, the
// member states of the European Union.
type Region struct {
	Region     string
	Mode       Mode
	Disclosure string // "": that of Rules
}

// Patch is a partial change of rules. A null field restores its default.
type Patch struct {
	Default    patch.Field[Mode]
	Disclosure patch.Field[string]
	Regions    patch.Field[[]Region] // all of them
}

// ToDefaults is the change that restores all defaults.
var ToDefaults = Patch{patch.Null[Mode](), patch.Null[string](), patch.Null[[]Region]()}

// Apply changes the rules. It does not check them. If the regions are still those of DefaultRules, a default of Off switches them
// off too, and another one restores their modes.
func (p Patch) Apply(to *Rules) {
	defaults := DefaultRules()
	p.Default.Apply(&to.Default, defaults.Default)
	p.Disclosure.Apply(&to.Disclosure, defaults.Disclosure)
	p.Regions.Apply(&to.Regions, defaults.Regions)
	untouched := slices.EqualFunc(to.Regions, defaults.Regions, func(a, b Region) bool { return a.Region == b.Region && a.Disclosure == b.Disclosure })
	if p.Default.Given() && !p.Regions.Given() && untouched {
		for i := range defaults.Regions {
			if to.Default == Off {
				defaults.Regions[i].Mode = Off
			}
		}
		to.Regions = defaults.Regions
	}
}

// EU is the region of the European Union's member states.
const EU = "EU"

// The texts of DefaultRules. New York prescribes its sentence (General Business Law § 349-a). Directive 2011/83/EU,
// article 6(1)(ea), prescribes the information but no sentence.
const (
	neutralText = "This price was personalized on the basis of automated decision-making."
	newYorkText = "THIS PRICE WAS SET BY AN ALGORITHM USING YOUR PERSONAL DATA."
)

// DefaultRules returns the rules of a shop that has set none.
func DefaultRules() Rules {
	return Rules{
		Default:    Allowed,
		Disclosure: neutralText,
		Regions: []Region{
			{Region: EU, Mode: Disclosed},
			{
				Region:     "US-NY",
				Mode:       Disclosed,
				Disclosure: newYorkText,
			},
		},
	}
}

// In returns the mode and the disclosure text of a region: of the rule for exactly it, else for its country, else for
// the EU, else the default. In mode Allowed the text is empty. A price that was made before the buyer's region was known
// may have been moved by personal signals although the region's mode is Off, so Off has a text too.
func (r Rules) In(region string) (Mode, string) {
	country, _, _ := strings.Cut(region, "-")
	wider := ""
	if slices.Contains(memberStates, country) {
		wider = EU
	}
	mode, text := r.Default, r.Disclosure
	for _, name := range []string{region, country, wider} {
		at := slices.IndexFunc(r.Regions, func(of Region) bool { return name != "" && of.Region == name })
		if at >= 0 {
			mode = r.Regions[at].Mode
			if own := r.Regions[at].Disclosure; own != "" {
				text = own
			}
			break
		}
	}
	if mode == Allowed || mode == (Mode{}) {
		return Allowed, ""
	}
	return mode, text
}

// Notice returns the notice to a buyer in one of the regions about a price, or nil if no personal signal moved it. The
// text is that of the first region that has one.
func (r Rules) Notice(moved Signals, regions ...string) *Notice {
	if !moved.Any() {
		return nil
	}
	n := &Notice{Signals: moved}
	for _, region := range regions {
		if region == "" {
			continue
		}
		if _, n.Disclosure = r.In(region); n.Disclosure != "" {
			break
		}
	}
	return n
}

var regionForm = regexp.MustCompile(`^[A-Z]{2}(-[A-Z0-9]{1,3})?$`)

const (
	longestText = 500 // characters
	mostRegions = 300
)

// Check reports the problems of rules.
func (r Rules) Check(c fault.Check) {
	c.That(r.Default == Mode{} || isMode(r.Default), "default", wrongMode)
	checkText(c, r.Disclosure)
	c.That(r.Default == Allowed || r.Default == Mode{} || r.Disclosure != "", "disclosure_text", "is required unless default is allowed")
	c.That(len(r.Regions) <= mostRegions, "regions", "must have at most 300 regions")
	for _, of := range r.Regions {
		at := c.In("regions")
		at.That(regionForm.MatchString(of.Region), of.Region, "must be EU, an ISO 3166-1 country code or an ISO 3166-2 code such as US-NY, in capitals")
		country, _, _ := strings.Cut(of.Region, "-")
		at.That(country != "UK", of.Region, "must begin with GB, the ISO 3166-1 code")
		at.That(country != "EL", of.Region, "must begin with GR, the ISO 3166-1 code")
		at = at.In(of.Region)
		at.That(isMode(of.Mode), "mode", wrongMode)
		checkText(at, of.Disclosure)
		at.That(of.Mode == Allowed || of.Disclosure != "" || r.Disclosure != "", "disclosure_text",
			"is required unless mode is allowed or personalization.disclosure_text is set")
	}
}

const wrongMode = "must be allowed, disclosed or off"

func isMode(m Mode) bool {
	_, known := Modes[m.name]
	return known
}

func checkText(c fault.Check, text string) {
	c.That(utf8.RuneCountInString(text) <= longestText && !strings.ContainsFunc(text, unicode.IsControl), "disclosure_text", "must have at most 500 characters, in one line")
}

// memberStates are the member states of the European Union, ISO 3166-1 alpha-2.
var memberStates = strings.Fields("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")
