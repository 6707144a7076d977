package aftersales

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Proof authorizes a buyer to manage an order. One field is enough, but none may be wrong.
type Proof struct {
	ManageToken string
	Session     string // that the order was placed in
}

func (s *Service) authorizes(by Proof, o *order.Order) bool {
	return (by.ManageToken != "" || by.Session != "") &&
		(by.ManageToken == "" || s.Tokens.Opens(o, by.ManageToken)) &&
		(by.Session == "" || o.PlacedIn(by.Session))
}

// CancelAsBuyer cancels an order for an authorized buyer and executes the refund. Without a valid proof it returns
// order.ErrTokenRequired. Canceling a canceled order is not an error.
func (s *Service) CancelAsBuyer(ctx ports.Outbound, project id.Project, of id.Order, by Proof, reason string) (*order.Case, error) {
	o, err := s.Orders.ByID(ctx, project, of)
	if err != nil {
		return nil, err
	}
	if !s.authorizes(by, o) {
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

// Read reads an order. If one of the manage tokens is neither empty nor the order's, it returns order.ErrTokenRequired.
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

// Receipt reads an order for its receipt. It returns NotFound if the code is not the order's.
func (s *Service) Receipt(ctx context.Context, project id.Project, of id.Order, code string) (*order.Case, error) {
	c, err := s.Orders.Case(ctx, project, of)
	if err == nil && !s.Tokens.ShowsReceipt(c.Order, code) {
		return nil, fault.Missing("receipt")
	}
	return c, err
}
