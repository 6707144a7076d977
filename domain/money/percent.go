package money

import "strings"

// Percent is a percentage in tenths: 125 is 12.5 %. Percent strings have at most one decimal
// (features/PROTOCOL.md#values).
type Percent int64

// Whole is 100 %.
const Whole Percent = 1000

// Decimal returns the number without the sign: "12.5", "12".
func (p Percent) Decimal() string {
	return strings.TrimSuffix(FormatDecimal(int64(p), 1), ".0")
}

// String returns the form of the API: "12.5%", "12%".
func (p Percent) String() string { return p.Decimal() + "%" }

// Of returns p percent of the amount.
func (p Percent) Of(a Amount, r Rounding) (Amount, error) { return a.Share(int64(p), int64(Whole), r) }

// Off returns by how many percent part is below whole, rounded down to a tenth, so that no discount is overstated. It
// is 0 if part is not below whole.
func Off(whole, part Amount) Percent {
	if whole.minor <= 0 || part.minor >= whole.minor {
		return 0
	}
	n, err := MulDiv(whole.minor-part.minor, int64(Whole), whole.minor, Down)
	if err != nil {
		return 0
	}
	return Percent(n)
}
