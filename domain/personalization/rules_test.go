package personalization_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/personalization"
)

func TestRules_In(t *testing.T) {
	t.Parallel()
	rules := personalization.Rules{
		Default:    personalization.Disclosed,
		Disclosure: "general",
		Regions: []personalization.Region{
			{Region: "US", Mode: personalization.Allowed},
			{Region: "US-NY", Mode: personalization.Disclosed, Disclosure: "New York"},
			{Region: "US-MD", Mode: personalization.Off},
			{Region: "EU", Mode: personalization.Off, Disclosure: "Europe"},
			{Region: "DE", Mode: personalization.Allowed},
		},
	}
	for region, want := range map[string]struct {
		mode personalization.Mode
		text string
	}{
		"US":    {personalization.Allowed, ""},
		"US-CA": {personalization.Allowed, ""},
		"US-NY": {personalization.Disclosed, "New York"},
		"US-MD": {personalization.Off, "general"},
		"FR":    {personalization.Off, "Europe"},
		"FR-75": {personalization.Off, "Europe"},
		"DE":    {personalization.Allowed, ""},
		"GB":    {personalization.Disclosed, "general"},
		"":      {personalization.Disclosed, "general"},
	} {
		if mode, text := rules.In(region); mode != want.mode || text != want.text {
			t.Errorf("%q: %v, %q; want %v, %q", region, mode, text, want.mode, want.text)
		}
	}
	if mode, text := (personalization.Rules{}).In("US-NY"); mode != personalization.Allowed || text != "" {
		t.Errorf("without rules: %v, %q", mode, text)
	}
}

func TestDefaultRules_texts(t *testing.T) {
	t.Parallel()
	rules := personalization.DefaultRules()
	for region, want := range map[string]string{
		"US-NY": "THIS PRICE WAS SET BY AN ALGORITHM USING YOUR PERSONAL DATA.",
		"FR":    "This price was personalized on the basis of automated decision-making.",
		"US-CA": "",
		"GB":    "",
	} {
		if _, text := rules.In(region); text != want {
			t.Errorf("%s: %q, want %q", region, text, want)
		}
	}
	c := fault.NewCheck()
	rules.Check(c)
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

func TestRules_Notice(t *testing.T) {
	t.Parallel()
	rules := personalization.DefaultRules()
	if n := rules.Notice(personalization.Signals{}, "US-NY"); n != nil {
		t.Errorf("no signal: %+v", n)
	}
	_, newYork := rules.In("US-NY")
	for name, c := range map[string]struct {
		regions []string
		text    string
	}{
		"no region known":         {nil, ""},
		"first has a text":        {[]string{"US-NY", "FR"}, newYork},
		"only second has a text":  {[]string{"US-CA", "US-NY"}, newYork},
		"first region is unknown": {[]string{"", "US-NY"}, newYork},
		"none has a text":         {[]string{"US-CA", "GB"}, ""},
	} {
		n := rules.Notice(personalization.ClaimedLoyalty, c.regions...)
		if n == nil || n.Signals != personalization.ClaimedLoyalty || n.Disclosure != c.text {
			t.Errorf("%s: %+v, want the text %q", name, n, c.text)
		}
	}
}

// Switching personal signals off by default switches them off in the built-in regions too, and only there.
func TestPatch_Apply_off(t *testing.T) {
	t.Parallel()
	rules := personalization.DefaultRules()
	personalization.Patch{Default: patch.To(personalization.Off)}.Apply(&rules)
	for _, region := range []string{"US-NY", "FR", "GB"} {
		if mode, text := rules.In(region); mode != personalization.Off || text == "" {
			t.Errorf("%s: %v, %q", region, mode, text)
		}
	}
	personalization.Patch{Default: patch.To(personalization.Disclosed)}.Apply(&rules)
	if mode, _ := rules.In("US-NY"); mode != personalization.Disclosed {
		t.Errorf("on again: %v", mode)
	}
	own := personalization.Rules{Regions: []personalization.Region{{Region: "GB", Mode: personalization.Allowed}}}
	personalization.Patch{Default: patch.To(personalization.Off)}.Apply(&own)
	if mode, _ := own.In("GB"); mode != personalization.Allowed {
		t.Errorf("the merchant's own rule is %v", mode)
	}
}

func TestRules_Check(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*personalization.Rules)
		field  string
	}{
		"no default":        {func(r *personalization.Rules) { r.Default = personalization.Mode{} }, ""},
		"long text":         {func(r *personalization.Rules) { r.Disclosure = strings.Repeat("é", 501) }, "disclosure_text"},
		"default, no text":  {func(r *personalization.Rules) { r.Default, r.Disclosure, r.Regions = personalization.Off, "", nil }, "disclosure_text"},
		"region's form":     {func(r *personalization.Rules) { r.Regions[0].Region = "Bavaria" }, "regions.Bavaria"},
		"not the ISO code":  {func(r *personalization.Rules) { r.Regions[0].Region = "UK" }, "regions.UK"},
		"two lines":         {func(r *personalization.Rules) { r.Disclosure = "a\nb" }, "disclosure_text"},
		"region's mode":     {func(r *personalization.Rules) { r.Regions[1].Mode = personalization.Mode{} }, "regions.US-NY.mode"},
		"region's text":     {func(r *personalization.Rules) { r.Regions[1].Disclosure = "a\x00" }, "regions.US-NY.disclosure_text"},
		"region, no text":   {func(r *personalization.Rules) { r.Disclosure = "" }, "regions.EU.disclosure_text"},
		"too many regions":  {func(r *personalization.Rules) { r.Regions = slices.Repeat(r.Regions[1:], 301) }, "regions"},
		"nothing to report": {func(*personalization.Rules) {}, ""},
	} {
		rules, check := personalization.DefaultRules(), fault.NewCheck()
		c.change(&rules)
		rules.Check(check)
		var problem *fault.Error
		switch err := check.Err(); {
		case c.field == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.field == "":
		case !errors.As(err, &problem) || len(problem.Details) != 1 || problem.Details[0].Field != c.field:
			t.Errorf("%s: %+v, want a problem of %s", name, err, c.field)
		}
	}
}

func TestSignals_stored(t *testing.T) {
	t.Parallel()
	var all personalization.Signals
	for _, one := range personalization.Each() {
		all = all.And(one)
		if got := personalization.StoredSignals(one.String()); got != one {
			t.Errorf("%v is read as %v", one, got)
		}
	}
	if got := personalization.StoredSignals(all.String()); got != all || len(all.Names()) != 6 {
		t.Errorf("%v is read as %v", all, got)
	}
	if got := personalization.StoredSignals(""); got.Any() || got.String() != "" {
		t.Errorf("nothing is read as %v", got)
	}
}

func TestTogether(t *testing.T) {
	t.Parallel()
	one := &personalization.Notice{Signals: personalization.ClaimedLoyalty, Disclosure: "One."}
	two := &personalization.Notice{Signals: personalization.ProbingLimit, Disclosure: "Two."}
	all := personalization.Together([]*personalization.Notice{nil, one, two, one})
	want := personalization.Notice{Signals: one.Signals.And(two.Signals), Disclosure: "One.\nTwo."}
	if all == nil || *all != want || one.Signals != personalization.ClaimedLoyalty {
		t.Errorf("%+v, want %+v", all, want)
	}
	if none := personalization.Together([]*personalization.Notice{nil}); none != nil {
		t.Errorf("of none: %+v", none)
	}
}
