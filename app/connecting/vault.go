package connecting

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// Unreadable returns the integrations whose credentials the vault cannot decrypt, and the number of integrations with credentials.
func (s *Service) Unreadable(ctx context.Context) (names []string, of int, err error) {
	list, err := s.InUse.Sealed(ctx)
	for _, i := range list {
		if _, err := i.Open(s.Vault.Open); err != nil {
			names = append(names, i.ID.String())
		}
	}
	return names, len(list), err
}

// Reseal encrypts the credentials of all integrations with the vault's first key, and returns their number. It may be repeated,
// and may run while the server runs.
func (s *Service) Reseal(ctx context.Context) (int, error) {
	list, err := s.InUse.Sealed(ctx)
	if err != nil {
		return 0, err
	}
	for n, one := range list {
		_, err := s.Integrations.Update(ctx, one.Project, one.ID, func(i *integration.Integration) error {
			if i.Status == integration.Disconnected { // disconnected meanwhile
				return nil
			}
			return i.Reseal(s.Vault.Open, s.Vault.Seal)
		})
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return n, err
		}
	}
	return len(list), nil
}
