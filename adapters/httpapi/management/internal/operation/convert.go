package operation

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// ToOptionalTime is nil for nil.
func ToOptionalTime(t *time.Time) *wire.Time {
	if t == nil {
		return nil
	}
	at := wire.ToTime(*t)
	return &at
}

// Each converts every element.
func Each[T, U any](from []T, convert func(T) U) []U {
	to := make([]U, len(from))
	for i, element := range from {
		to[i] = convert(element)
	}
	return to
}

// ToKnownTime is nil for a time that has not come.
func ToKnownTime(t time.Time) *wire.Time {
	if t.IsZero() {
		return nil
	}
	return ToOptionalTime(&t)
}

// ToOptionalText is nil for "".
func ToOptionalText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// ToOptionalID is nil for the zero id.
func ToOptionalID[K id.Kind](i id.ID[K]) *string {
	if i.IsZero() {
		return nil
	}
	text := i.String()
	return &text
}

// FromAPIPercent reads a percentage of a patch; check gets what is wrong with it, under field.
func FromAPIPercent(o wire.Optional[wire.Decimal], field string, check fault.Check) patch.Field[money.Percent] {
	return wire.MapField(o, func(d wire.Decimal) money.Percent { return d.Percent(field, check) })
}

// FromAPITemperature reads a language model's temperature.
func FromAPITemperature(o wire.Optional[wire.Decimal], check fault.Check) patch.Field[int] {
	return wire.MapField(o, func(d wire.Decimal) int { return int(d.Scaled(TemperatureDigits, "temperature", check)) })
}

// TemperatureDigits is how a temperature is kept: in thousandths.
const TemperatureDigits = 3
