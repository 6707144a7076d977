package checkout

import (
	"regexp"
	"strings"
)

// Locate returns the ISO 3166 code of a place in words: US-NY for "US-NY", "New York, USA", "Brooklyn, NY, US" and
// "New York", and DE for "Germany" and "Berlin, Germany". It returns "" for a place that it does not know. It knows the
// parts of the United States, Canada and Australia; those of other countries only by their ISO 3166-2 codes.
func Locate(text string) string {
	text = strings.TrimSpace(text)
	if code := strings.ToUpper(text); regionCode.MatchString(code) && isCountry(code[:2]) {
		return code
	}
	parts := strings.Split(text, ",")
	last := strings.TrimSpace(parts[len(parts)-1])
	country := Country(last)
	if !isCountry(country) {
		if code := Region("US", last); code != last || regions["US"][strings.ToLower(last)] != "" {
			return "US-" + code
		}
		return ""
	}
	if len(parts) > 1 {
		return placeIn(country, strings.TrimSpace(parts[len(parts)-2]))
	}
	return country
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

func isCountry(code string) bool { return alpha2[code] }

var alpha2 = func() map[string]bool {
	codes := map[string]bool{}
	for _, code := range countries {
		codes[code] = true
	}
	return codes
}()
