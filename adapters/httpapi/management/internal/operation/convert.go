package operation

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

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
