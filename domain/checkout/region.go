package checkout

import "strings"

// withoutPostalCodes are countries (ISO 3166-1 alpha-2) in which many addresses have no postal code, according to the
// Universal Postal Union's addressing guides.
var withoutPostalCodes = strings.Fields("AE AG AO AW BF BI BJ BO BS BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GD GH GM GQ GY HK IE JM KI KM KN KP " +
	"LY ML MO MR MS MW NR NU QA RW SB SC SL SR SS ST SY TD TG TK TO TT TV TZ UG VU YE ZA ZW")

// regions are ISO 3166-2 codes, without the country, by country and lower-case name or code.
var regions = map[string]map[string]string{
	"US": byName(`AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,
DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,
ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,
NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,
PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,
WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,AS American Samoa,GU Guam,MP Northern Mariana Islands,PR Puerto Rico,
VI Virgin Islands,AA Armed Forces Americas,AE Armed Forces Europe,AP Armed Forces Pacific`),
	"CA": byName(`AB Alberta,BC British Columbia,MB Manitoba,NB New Brunswick,NL Newfoundland and Labrador,NS Nova Scotia,
NT Northwest Territories,NU Nunavut,ON Ontario,PE Prince Edward Island,QC Quebec,QC Québec,SK Saskatchewan,YT Yukon`),
	"AU": byName(`ACT Australian Capital Territory,NSW New South Wales,NT Northern Territory,QLD Queensland,SA South Australia,
TAS Tasmania,VIC Victoria,WA Western Australia`),
}

func byName(list string) map[string]string {
	codes := map[string]string{}
	for one := range strings.SplitSeq(list, ",") {
		code, name, _ := strings.Cut(strings.TrimSpace(one), " ")
		codes[strings.ToLower(name)], codes[strings.ToLower(code)] = code, code
	}
	return codes
}

// Region returns the ISO 3166-2 code, without the country, of a state or province of the United States, Canada and
// Australia, given its code or name: "California", "ca" and "US-CA" are CA. It returns other text unchanged, but
// without leading and trailing space.
func Region(country, name string) string {
	name = strings.TrimSpace(name)
	short := strings.ToLower(name)
	short = strings.TrimPrefix(short, strings.ToLower(country)+"-")
	if code, ok := regions[country][short]; ok {
		return code
	}
	return name
}

// KnownRegion reports whether name is a state of the country. If the country's states are not known here, it reports
// whether name is not empty.
func KnownRegion(country, name string) bool {
	known, ok := regions[country]
	if !ok {
		return name != ""
	}
	_, ok = known[strings.ToLower(Region(country, name))]
	return ok
}
