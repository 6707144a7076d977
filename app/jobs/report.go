package jobs

import (
	"context"
	"log/slog"

	"github.com/haggle-commerce/haggle/ports"
)

// ReportSetAside logs work that is set aside. Somebody must look at it: it may be money.
func ReportSetAside(ctx context.Context, log *slog.Logger, job string, s ports.SetAside) {
	log.ErrorContext(ctx, "background work is set aside: it cannot be read, or made this program panic", "job", job,
		"project", s.Project.String(), "row", s.Key, "failures", s.Failures+1, "for", s.Pause().String(), "error", s.Err)
}
