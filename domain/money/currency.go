package money

import "strings"

// Currency is an ISO 4217 currency. Only this package can make one that is not zero.
type Currency struct {
	code   string
	digits int8
}

func (c Currency) Code() string { return c.code }

// Digits is the number of decimals: 2 for USD, 0 for JPY, 3 for BHD.
func (c Currency) Digits() int { return int(c.digits) }

// USD is the default currency of a project.
var USD = Currency{"USD", 2}

// ParseCurrency parses an active ISO 4217 code, in upper case.
func ParseCurrency(code string) (Currency, error) {
	c, known := currencies[code]
	if !known {
		return Currency{}, ErrUnknownMoney
	}
	return c, nil
}

// Source: ISO 4217 list one, active codes with a minor unit; funds, metals and test codes left out.
var currencies = index(map[int8]string{
	0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
	2: `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF
	    CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF
	    IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR
	    MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD
	    SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG
	    YER ZAR ZMW ZWG`,
	3: "BHD IQD JOD KWD LYD OMR TND",
})

func index(byDigits map[int8]string) map[string]Currency {
	all := make(map[string]Currency)
	for digits, codes := range byDigits {
		for code := range strings.FieldsSeq(codes) {
			all[code] = Currency{code, digits}
		}
	}
	return all
}
