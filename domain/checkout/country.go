package checkout

import "strings"

// Country returns the ISO 3166-1 alpha-2 code of a country, given that code, its alpha-3 code or an English name: "us",
// "USA" and "United States" are US. It returns other text unchanged, but without leading and trailing space.
func Country(text string) string {
	text = strings.TrimSpace(text)
	if code, ok := countries[countryKey(text)]; ok {
		return code
	}
	if upper := strings.ToUpper(text); KnownCountry(upper) {
		return upper
	}
	return text
}

// KnownCountry reports whether text has the form of a country's alpha-2 code.
func KnownCountry(text string) bool {
	return len(text) == 2 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'A' && text[1] <= 'Z'
}

// countryKey removes from a name everything that is spelled in different ways.
func countryKey(text string) string {
	text = strings.NewReplacer(".", "", ",", "", "’", "", "'", "", "-", " ", "&", "and").Replace(strings.ToLower(text))
	return strings.TrimPrefix(strings.Join(strings.Fields(text), " "), "the ")
}

// countries are alpha-2 codes by alpha-3 codes and names.
var countries = func() map[string]string {
	codes := map[string]string{}
	for one := range strings.SplitSeq(isoCountries, ",") {
		names := strings.Split(strings.TrimSpace(one), "/")
		for _, name := range names[1:] {
			codes[countryKey(name)] = names[0]
		}
	}
	return codes
}()
