package ports

import (
	"context"
	"errors"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// Problem returns, in words for the merchant, why a provider did not report the outcome of a charge or a refund. Other
// error texts are for logs.
func Problem(err error) string {
	known := (*fault.Error)(nil)
	switch {
	case errors.As(err, &known) && known.Kind != fault.Internal:
		return known.Message
	case errors.As(err, &StillLooking{}):
		return "The provider's records are not searched to their end yet."
	case errors.Is(err, ErrCredentialsRefused):
		return "The provider refuses the credentials."
	case errors.Is(err, ErrAccountRefused):
		return "The provider refuses the account."
	case errors.Is(err, context.DeadlineExceeded):
		return "The provider did not answer in time."
	}
	return "The provider's answer was an error, or did not arrive."
}
