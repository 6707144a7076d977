package memstore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// DisputeByID finds a dispute among those of all orders.
func (v Orders) DisputeByID(ctx context.Context, p id.Project, of id.Dispute) (*order.Dispute, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	for k, row := range s.orders.rows {
		for _, d := range row.disputes {
			if k.project == p && d.ID == of {
				return &d, nil
			}
		}
	}
	return nil, fault.Missing("dispute")
}

// Disputes lists disputes, newest first.
func (v Orders) Disputes(ctx context.Context, p id.Project, f ports.DisputeFilter, after *ports.DisputePlace, limit int) ([]order.Dispute, *ports.DisputePlace, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, nil, err
	}
	var list []order.Dispute
	for k, row := range s.orders.rows {
		for _, d := range row.disputes {
			if k.project == p && (f.Status == order.DisputeStatus{} || f.Status == d.Status) && (f.Response == order.DisputeResponse{} || f.Response == d.Response) &&
				(f.Order.IsZero() || f.Order == d.Order) && during(d.CreatedAt, f.From, f.To) &&
				(after == nil || newest(d, order.Dispute{ID: after.Dispute, CreatedAt: after.At}) > 0) {
				list = append(list, d)
			}
		}
	}
	slices.SortFunc(list, newest)
	if len(list) <= limit {
		return list, nil, nil
	}
	last := list[limit-1]
	return list[:limit], &ports.DisputePlace{At: last.CreatedAt, Dispute: last.ID}, nil
}

// newest puts the newest dispute first.
func newest(a, b order.Dispute) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID.String(), a.ID.String()))
}
