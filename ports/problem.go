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
		return "The search of the provider's records has not finished yet."
	case errors.Is(err, ErrCredentialsRefused):
		return "The provider rejects the credentials."
	case errors.Is(err, ErrAccountRefused):
		return "The provider rejects the account."
	case errors.Is(err, context.DeadlineExceeded):
		return "The provider did not respond in time."
	}
	return "The provider's response was an error, or did not arrive."
}
