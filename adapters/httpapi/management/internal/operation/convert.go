package operation

import (
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// FromAPIPercent reads a percentage of a patch, and reports problems to check under field.
func FromAPIPercent(o wire.Optional[wire.Decimal], field string, check fault.Check) patch.Field[money.Percent] {
	return wire.MapField(o, func(d wire.Decimal) money.Percent { return d.Percent(field, check) })
}

// RenameFields renames the fields of an error to those of the request.
func RenameFields(err error, rename func(string) string) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	renamed := *known
	renamed.Details = wire.Each(known.Details, func(d fault.Detail) fault.Detail {
		return fault.Detail{Field: rename(d.Field), Message: d.Message}
	})
	return &renamed
}

// FromAPITemperature reads a language model's temperature.
func FromAPITemperature(o wire.Optional[wire.Decimal], check fault.Check) patch.Field[int] {
	return wire.MapField(o, func(d wire.Decimal) int { return int(d.Scaled(TemperatureDigits, "temperature", check)) })
}

// TemperatureDigits is the number of decimals of a temperature, which is stored in thousandths.
const TemperatureDigits = 3

// DocumentRequired marks fields as required in the document only. The domain reports missing fields, so that a merchant learns of
// missing and invalid fields at once.
func DocumentRequired(s *huma.Schema, fields ...string) *huma.Schema {
	s.Extensions = map[string]any{"required": fields}
	return s
}
