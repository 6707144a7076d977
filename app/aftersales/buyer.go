package aftersales

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Proof is what a buyer shows for its right to an order. One of them is enough, and none may be wrong.
type Proof struct {
	ManageToken string
	Session     string // that the order was placed in
}

func (s *Service) proves(by Proof, o *order.Order) bool {
	return (by.ManageToken != "" || by.Session != "") &&
		(by.ManageToken == "" || s.Tokens.Opens(o, by.ManageToken)) &&
		(by.Session == "" || o.PlacedIn(by.Session))
}

// CancelAsBuyer cancels an order for a buyer who shows the right to it; else order.ErrTokenRequired. It asks the provider
// for the refund. An order that is canceled stays so, which is no error.
func (s *Service) CancelAsBuyer(ctx ports.Outbound, project id.Project, of id.Order, by Proof, reason string) (*order.Case, error) {
	o, err := s.Orders.ByID(ctx, project, of)
	if err != nil {
		return nil, err
	}
	if !s.proves(by, o) {
		return nil, order.ErrTokenRequired
	}
	_, refund, err := s.Cancel(ctx, project, of, reason)
	switch {
	case fault.Is(err, order.ErrCanceled.Code):
	case err != nil:
		return nil, err
	case !refund.IsZero():
		if _, err := s.ExecuteRefund(ctx, project, refund); err != nil {
			return nil, err
		}
	}
	return s.Orders.Case(ctx, project, of)
}

// Read reads an order. A manage token that is not the order's, among those that are not empty: order.ErrTokenRequired.
func (s *Service) Read(ctx context.Context, project id.Project, of id.Order, manageTokens ...string) (*order.Case, error) {
	c, err := s.Orders.Case(ctx, project, of)
	if err != nil {
		return nil, err
	}
	for _, token := range manageTokens {
		if token != "" && !s.Tokens.Opens(c.Order, token) {
			return nil, order.ErrTokenRequired
		}
	}
	return c, nil
}

// Receipt reads an order for its receipt. A code that is not the order's: NotFound.
func (s *Service) Receipt(ctx context.Context, project id.Project, of id.Order, code string) (*order.Case, error) {
	c, err := s.Orders.Case(ctx, project, of)
	if err == nil && !s.Tokens.ShowsReceipt(c.Order, code) {
		return nil, fault.Missing("receipt")
	}
	return c, err
}
