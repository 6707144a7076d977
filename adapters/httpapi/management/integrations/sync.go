package integrations

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/syncing"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerSyncs(g operation.Group, integration string) {
	all, one := integration+"/sync", integration+"/sync/{sync_id}"
	operation.Register(g, "start-sync", "POST "+all, "Start a sync of changes, or of everything; one sync at a time", h.startSync,
		operation.Accepted, operation.Errors(409))
	operation.Register(g, "list-syncs", "GET "+all+"/history", "List syncs, newest first", operation.HandleList(h.listSyncs, toAPISync))
	operation.Register(g, "get-sync", "GET "+one, "Get a sync with its counters", wire.HandleOne(h.findSync, toAPISync))
	operation.Register(g, "list-sync-errors", "GET "+one+"/errors", "List the records that a sync rejected, the first 1,000",
		operation.HandleList(h.listSyncErrors, toAPISyncError))
	operation.Register(g, "cancel-sync", "POST "+one+"/cancel", "Cancel a sync; the records that it has read are kept", h.cancelSync, operation.Errors(409))
	operation.Register(g, "list-records", "GET "+integration+"/records", "List the platform's records",
		operation.HandleList(h.listRecords, toAPIRecord))
}

// SyncView is a run (features/MANAGEMENT.md#syncs).
type SyncView struct {
	ID          string                  `json:"sync_id"`
	Status      string                  `json:"status" enum:"running,completed,failed,canceled"`
	Full        bool                    `json:"full_sync"`
	Preview     bool                    `json:"preview" doc:"Whether it stores nothing: the counters say what a sync would do."`
	Resources   map[string]syncCounters `json:"resources" doc:"By resource: products, inventory, customers and orders."`
	Progress    map[string]syncProgress `json:"progress" doc:"Progress by resource."`
	SecondsLeft *int                    `json:"seconds_left" nullable:"true" doc:"An estimate from the pace so far, as of the last stored page. Null: the sync has ended, or a resource has not been counted or started yet."`
	StartedAt   wire.Time               `json:"started_at"`
	CompletedAt *wire.Time              `json:"completed_at" nullable:"true" doc:"When it ended, with any status."`
	DurationMS  *int64                  `json:"duration_ms" nullable:"true"`
	Error       *string                 `json:"error" nullable:"true" doc:"The reason of the failure."`
	Notices     []syncNotice            `json:"notices" doc:"Data that is missing although the sync continued: at most 20 notices, each once."`
}

// syncNotice is a notice to the merchant about a sync.
type syncNotice struct {
	Code     string `json:"code" enum:"field_denied,bulk_denied" doc:"field_denied: the app lacks a scope or an approval for a field. bulk_denied: the app may not run bulk queries, so everything was read page by page."`
	Resource string `json:"resource" enum:"products,inventory,orders,customers"`
	Message  string `json:"message" doc:"The missing data, and how to get it."`
}

// syncCounters count each record once.
type syncCounters struct {
	Total     int `json:"total"`
	Created   int `json:"created"`
	Updated   int `json:"updated" doc:"Includes removed records."`
	Unchanged int `json:"unchanged"`
	Errors    int `json:"errors" doc:"Rejected records; they do not stop the others."`
	Conflicts int `json:"conflicts" doc:"Fields of any records that both sides had changed."`
}

// syncProgress is the progress of reading one resource.
type syncProgress struct {
	Done        int     `json:"done" doc:"Records read."`
	Total       *int    `json:"total" nullable:"true" doc:"The number of records to read, as the platform counts them, never less than done. Null: unknown, or not yet known."`
	AtLeast     bool    `json:"at_least" doc:"Whether there may be more than total, because the platform counts up to a limit or only some of the records."`
	SecondsLeft *int    `json:"seconds_left" nullable:"true" doc:"An estimate from the pace so far. Null: unknown."`
	Waited      float64 `json:"waited_seconds" doc:"Seconds spent waiting for the platform: for its rate limit, or until it had prepared the data."`
	LimitedBy   *string `json:"limited_by" nullable:"true" example:"rate_limit" doc:"The main reason for waiting: rate_limit, or bulk_operation, which the platform had not finished. Null: it did not wait."`
}

func toAPIProgress(s *syncrun.Step) syncProgress {
	p, w := s.Progress(), s.Waited
	v := syncProgress{
		Done:    p.Done,
		AtLeast: p.AtLeast,
		Waited:  float64(w.Limit+w.Files) / 1000,
	}
	switch {
	case w == syncrun.Waited{}:
	case w.Files > w.Limit:
		v.LimitedBy = wire.ToOptional("bulk_operation")
	default:
		v.LimitedBy = wire.ToOptional("rate_limit")
	}
	if p.Known {
		v.Total = &p.Total
	}
	if p.Timed {
		v.SecondsLeft = seconds(p.Left)
	}
	return v
}

// seconds are whole ones, rounded up.
func seconds(d time.Duration) *int {
	whole := int((d + time.Second - 1) / time.Second)
	return &whole
}

type startSyncInput struct {
	OnIntegration
	Body *struct {
		Resources []string `json:"resources,omitempty" nullable:"true" doc:"Any of products, inventory, customers and orders that the type has. Omitted or empty: all that are enabled in the configuration."`
		Full      bool     `json:"full_sync,omitempty" doc:"Read everything, not only changes since the last sync; the platform's values also replace fields that were edited here. Stock is still adjusted by its changes at the platform, so that sales here are preserved."`
		Preview   bool     `json:"preview,omitempty" doc:"Store only the counters and errors, to see what a sync would do. Inventory cannot be previewed."`
	}
}

type startedSync struct {
	ID        string    `json:"sync_id"`
	Status    string    `json:"status" enum:"running"`
	Resources []string  `json:"resources"`
	StartedAt wire.Time `json:"started_at"`
}

func (h *handlers) startSync(ctx context.Context, rq operation.Request, in *startSyncInput) (*wire.Output[startedSync], error) {
	var wanted syncing.Wanted
	if in.Body != nil {
		wanted = syncing.Wanted{
			Resources: in.Body.Resources,
			Full:      in.Body.Full,
			Preview:   in.Body.Preview,
		}
	}
	run, err := h.Syncing.In(rq.Stores).Start(ctx, rq.Caller.Project, in.Integration.ID, wanted)
	if err != nil {
		return nil, err
	}
	operation.NoteCreated(rq, run.ID.String(), toAPISync(run))
	return &wire.Output[startedSync]{Body: startedSync{
		run.ID.String(), run.Status.String(), wire.Each(run.Steps, func(s syncrun.Step) string { return s.Resource.String() }),
		wire.ToTime(run.StartedAt),
	}}, nil
}

type listSyncsInput struct {
	OnIntegration
	operation.Paging
}

func (h *handlers) listSyncs(ctx context.Context, rq operation.Request, in *listSyncsInput) ([]*syncrun.Run, int, error) {
	i, err := h.findIntegration(ctx, rq, in.OnIntegration)
	if err != nil {
		return nil, 0, err
	}
	return rq.Stores.SyncRuns.List(ctx, i.Project, i.ID, in.Page())
}

type OnSync struct {
	OnIntegration
	Sync wire.Ref[id.Sync] `path:"sync_id"`
}

func (h *handlers) findSync(ctx context.Context, rq operation.Request, in *OnSync) (*syncrun.Run, error) {
	i, err := h.findIntegration(ctx, rq, in.OnIntegration)
	if err != nil {
		return nil, err
	}
	return rq.Stores.SyncRuns.ByID(ctx, i.Project, i.ID, in.Sync.ID)
}

type syncErrorsInput struct {
	OnSync
	operation.Paging
}

// SyncErrorView is a record that was not imported.
type SyncErrorView struct {
	Resource string    `json:"resource" enum:"products,inventory,orders,customers"`
	RecordID string    `json:"record_id" doc:"The platform's id of the record."`
	Reason   string    `json:"reason"`
	At       wire.Time `json:"at"`
}

func (h *handlers) listSyncErrors(ctx context.Context, rq operation.Request, in *syncErrorsInput) ([]syncrun.Problem, int, error) {
	run, err := h.findSync(ctx, rq, &in.OnSync)
	if err != nil {
		return nil, 0, err
	}
	return rq.Stores.SyncRuns.Problems(ctx, run.Project, run.ID, in.Page())
}

func (h *handlers) cancelSync(ctx context.Context, rq operation.Request, in *OnSync) (*wire.Output[SyncView], error) {
	run, err := h.Syncing.In(rq.Stores).Cancel(ctx, rq.Caller.Project.ID, in.Integration.ID, in.Sync.ID)
	if err != nil {
		return nil, err
	}
	out := &wire.Output[SyncView]{Body: toAPISync(run)}
	operation.NoteChange(rq, nil, out.Body)
	return out, nil
}

func toAPISyncError(p syncrun.Problem) SyncErrorView {
	return SyncErrorView{p.Resource.String(), p.Remote, p.Reason, wire.ToTime(p.At)}
}

func toAPISync(r *syncrun.Run) SyncView {
	v := SyncView{
		ID:          r.ID.String(),
		Status:      r.Status.String(),
		Full:        r.Full,
		Preview:     r.Preview,
		Resources:   map[string]syncCounters{},
		Progress:    map[string]syncProgress{},
		StartedAt:   wire.ToTime(r.StartedAt),
		CompletedAt: wire.ToKnownTime(r.EndedAt),
		Error:       wire.ToOptional(r.Error),
		Notices: wire.Each(r.Notices, func(n syncrun.Notice) syncNotice {
			return syncNotice{n.Code.String(), n.Resource.String(), n.Message}
		}),
	}
	if left, known := r.Left(); known {
		v.SecondsLeft = seconds(left)
	}
	for _, s := range r.Steps {
		v.Progress[s.Resource.String()] = toAPIProgress(&s)
		v.Resources[s.Resource.String()] = syncCounters{s.Total(), s.Created, s.Updated, s.Unchanged, s.Errors, s.Found.Conflicts}
	}
	if !r.EndedAt.IsZero() {
		took := r.EndedAt.Sub(r.StartedAt).Milliseconds()
		v.DurationMS = &took
	}
	return v
}

type recordsInput struct {
	OnIntegration
	operation.Paging
	Resource string `query:"resource" required:"true" enum:"products,inventory,orders,customers"`
}

// RecordView is an external record as it was last seen.
type RecordView struct {
	ID        string          `json:"record_id" doc:"The platform's id of the record."`
	Resource  string          `json:"resource" enum:"products,inventory,orders,customers"`
	LocalID   *string         `json:"local_id" nullable:"true" doc:"The id of the local product, variant or order. Null: there is none."`
	SKU       *string         `json:"sku" nullable:"true"`
	ChangedAt *wire.Time      `json:"changed_at" nullable:"true" doc:"When the platform last changed it, if it reports that."`
	Removed   bool            `json:"removed" doc:"Whether the platform no longer has it."`
	Order     *recordOrder    `json:"order,omitempty"`
	Customer  *recordCustomer `json:"customer,omitempty"`
}

type recordOrder struct {
	Number    string          `json:"number"`
	Email     string          `json:"email"`
	Status    string          `json:"status" doc:"The platform's status."`
	Total     string          `json:"total" doc:"The total as the platform writes it."`
	Currency  string          `json:"currency"`
	Items     int             `json:"items"`
	PlacedAt  *wire.Time      `json:"placed_at" nullable:"true"`
	Reference *string         `json:"reference" nullable:"true" doc:"The id of the local order."`
	Shipment  *recordShipment `json:"shipment,omitempty"`
	Canceled  bool            `json:"canceled"`
	Refunded  string          `json:"refunded,omitempty" doc:"The refunded part of the total, as the platform reports it. Absent: nothing, or unknown."`
}

type recordShipment struct {
	Carrier        string     `json:"carrier"`
	TrackingNumber string     `json:"tracking_number"`
	TrackingURL    string     `json:"tracking_url"`
	ShippedAt      *wire.Time `json:"shipped_at" nullable:"true"`
	Delivered      bool       `json:"delivered"`
	Voided         bool       `json:"voided"`
}

type recordCustomer struct {
	Email     string `json:"email"`
	Name      string `json:"name"`
	Tier      string `json:"loyalty_tier"`
	Purchases int    `json:"purchases"`
}

func (h *handlers) listRecords(ctx context.Context, rq operation.Request, in *recordsInput) ([]*syncrun.ExternalRecord, int, error) {
	i, err := h.findIntegration(ctx, rq, in.OnIntegration)
	if err != nil {
		return nil, 0, err
	}
	resource, _ := syncrun.ParseResource(in.Resource) // the schema allows no other resource
	return rq.Stores.ExternalRecords.List(ctx, ports.RecordSet{
		Project:     i.Project,
		Integration: i.ID,
		Resource:    resource,
	}, in.Page())
}

func toAPIRecord(c *syncrun.ExternalRecord) RecordView {
	v := RecordView{
		ID:        c.Remote,
		Resource:  c.Resource.String(),
		LocalID:   wire.ToOptional(c.Local),
		SKU:       wire.ToOptional(c.SKU),
		ChangedAt: wire.ToKnownTime(c.At),
		Removed:   c.Removed,
	}
	if o := c.Order; o != nil {
		v.Order = &recordOrder{
			Number:    o.Number,
			Email:     o.Email,
			Status:    o.Status,
			Total:     o.Total,
			Currency:  o.Currency,
			Items:     o.Items,
			PlacedAt:  wire.ToKnownTime(o.PlacedAt),
			Reference: wire.ToOptional(o.Reference),
			Canceled:  o.Canceled,
			Refunded:  o.Refunded,
		}
		if s := o.Shipment; s != nil {
			v.Order.Shipment = &recordShipment{s.Carrier, s.Number, s.TrackingURL, wire.ToKnownTime(s.ShippedAt), s.Delivered, s.Voided}
		}
	}
	if p := c.Customer; p != nil {
		v.Customer = &recordCustomer{p.Email, p.Name, p.Tier, p.Purchases}
	}
	return v
}
