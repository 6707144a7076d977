package checkout

import (
	"regexp"
	"slices"
	"strings"
)

// Locate returns the ISO 3166 code of a place in words: US-NY for "US-NY", "New York, USA", "Brooklyn, NY 11201" and
// "New York", and DE for "Germany" and "Berlin, Germany". It returns "" for a place that it does not know. It knows the
// parts of the United States, Canada and Australia; those of other countries only by their ISO 3166-2 codes. After a comma,
// what can be a part of the home country is one: "Wilmington, DE" is in the United States for a shop there, and else in Germany.
func Locate(text, home string) string {
	text = strings.TrimSpace(text)
	if code := strings.ToUpper(text); regionCode.MatchString(code) && isCountry(code[:2]) {
		return code
	}
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		words := slices.DeleteFunc(strings.Fields(part), func(word string) bool { return strings.ContainsAny(word, "0123456789") }) // postal codes
		if len(words) > 0 {
			parts = append(parts, strings.Join(words, " "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	last, before := parts[len(parts)-1], ""
	if len(parts) > 1 {
		before = parts[len(parts)-2]
		if region := partOf(home, last); region != "" {
			return region
		}
	}
	if country := Country(last); isCountry(country) {
		return placeIn(country, before)
	}
	for _, country := range []string{"US", "CA", "AU"} {
		if region := partOf(country, last); region != "" {
			return region
		}
	}
	return ""
}

// Refine returns now, or before if now is no more precise: "US" after "US-NY" leaves "US-NY".
func Refine(before, now, home string) string {
	if old, said := Locate(before, home), Locate(now, home); said != "" && (old == said || strings.HasPrefix(old, said+"-")) {
		return before
	}
	return now
}

// partOf returns the code of a part of a country whose parts are known here, or "".
func partOf(country, name string) string {
	if len(regions[country]) == 0 || !KnownRegion(country, name) {
		return ""
	}
	return country + "-" + strings.ToUpper(Region(country, name))
}

// RegionCode returns the ISO 3166 code of an address, as Locate does, or "" if its country is not known.
func (a Address) RegionCode() string {
	country := Country(a.Country)
	if !isCountry(country) {
		return ""
	}
	return placeIn(country, a.State)
}

var regionCode = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3}$`)

func placeIn(country, state string) string {
	if code := country + "-" + strings.ToUpper(Region(country, state)); regionCode.MatchString(code) && KnownRegion(country, state) {
		return code
	}
	return country
}

// KnownPlace reports whether code is the ISO 3166 code of a country, or of a part of one. Parts are checked
// only for the countries whose parts Locate knows.
func KnownPlace(code string) bool {
	country, part, divided := strings.Cut(code, "-")
	return isCountry(country) && (!divided || len(regions[country]) == 0 || partOf(country, part) == code)
}

func isCountry(code string) bool { return alpha2[code] }

var alpha2 = func() map[string]bool {
	codes := map[string]bool{}
	for _, code := range countries {
		codes[code] = true
	}
	return codes
}()
