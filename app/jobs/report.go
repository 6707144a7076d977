package jobs

import (
	"context"
	"log/slog"

	"github.com/haggle-commerce/haggle/ports"
)

// ReportSetAside logs an item that is set aside. An operator must look at it, because it may be about money.
func ReportSetAside(ctx context.Context, log *slog.Logger, job string, s ports.SetAside) {
	log.ErrorContext(ctx, "background work is set aside: it cannot be read, or made this program panic", "job", job,
		"project", s.Project.String(), "row", s.Key, "failures", s.Failures+1, "for", s.Pause().String(), "error", s.Err)
}
