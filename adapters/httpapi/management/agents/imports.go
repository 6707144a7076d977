package agents

import (
	"context"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/imports"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
)

// ndjsonType is the media type of a file with one product in JSON on each line.
const ndjsonType = "application/x-ndjson"

func (h *handlers) registerImports() {
	const all = "/v1/imports"
	g := h.Group("Catalog", "catalog", operation.HeaderProject)
	operation.RegisterStored(g, "start-import", "POST "+all, "Import products from a file, as a job", []string{"text/csv", ndjsonType}, job.MostFileBytes,
		h.storeImport, h.startImport, operation.Accepted, operation.Errors(409, 413, 415))
	operation.Register(g, "export-import-errors", "GET "+all+"/{job_id}/errors", "Download the products that an import rejected as CSV, to correct and import them again",
		h.exportImportErrors, operation.CSV)
}

type startImportInput struct {
	Format string `query:"format" enum:"haggle,shopify,woocommerce" default:"haggle" doc:"The system whose columns a CSV file has."`
	DryRun bool   `query:"dry_run" doc:"Validate all products and report what would be imported, without storing anything."`
	Type   string `header:"Content-Type" hidden:"true"`
}

type startImportOutput struct {
	Location string `header:"Location" doc:"The address of the job."`
	Body     JobView
}

// storeImport stores the file.
func (h *handlers) storeImport(ctx context.Context, rq operation.Request, body io.Reader) (wire.Stored, error) {
	of := rq.Caller.Project.ID
	file, err := h.Imports.Store(ctx, of, body)
	return wire.Stored{
		Sum:     file.Sum,
		Value:   file,
		Discard: func(ctx context.Context) error { return h.Imports.Discard(ctx, of, file) },
	}, err
}

func (h *handlers) startImport(ctx context.Context, rq operation.Request, in *startImportInput, stored any) (*startImportOutput, error) {
	r := job.ImportRequest{
		Format: in.Format,
		NDJSON: wire.MediaType(in.Type) == ndjsonType,
		DryRun: in.DryRun,
	}
	if r.NDJSON && r.Format != "haggle" {
		return nil, fault.Field("format", "must be haggle for a file in NDJSON")
	}
	started, err := h.Imports.In(rq.Stores).Start(ctx, rq.Caller.Project, stored.(imports.File), r)
	if err != nil {
		return nil, err
	}
	out := &startImportOutput{Location: allJobs + "/" + started.ID.String(), Body: toAPIJob(started)}
	operation.NoteCreated(rq, out.Body.ID, out.Body)
	return out, nil
}

// importView is an import with its results so far.
type importView struct {
	Format    string          `json:"format" enum:"haggle,shopify,woocommerce"`
	DryRun    bool            `json:"dry_run"`
	Bytes     int             `json:"bytes" doc:"The size of the file."`
	Read      int             `json:"products_read" doc:"The sum of the next four counters."`
	Created   int             `json:"created"`
	Updated   int             `json:"updated"`
	Unchanged int             `json:"unchanged" doc:"Products that are equal to those in the file; they were not written."`
	Refused   int             `json:"refused"`
	Errors    []importProblem `json:"errors" doc:"Problems of rejected products, the first 100."`
	Warnings  []importProblem `json:"warnings" doc:"Problems of products that were not rejected, the first 100."`
	ErrorsURL *string         `json:"errors_url" nullable:"true" doc:"A CSV of the first 10,000 rejected products, with the columns of the file, to correct and import them again. Null: none was rejected."`
}

type importProblem struct {
	Line    int    `json:"line" doc:"The line in the file, from 1."`
	SKU     string `json:"sku" doc:"Empty: unknown."`
	Field   string `json:"field" doc:"The column, or the path in JSON. Empty: the whole line."`
	Value   string `json:"value" doc:"The value in the file, shortened."`
	Problem string `json:"problem" example:"is not a decimal number; write 12.50"`
}

func toAPIImport(j *job.Job) *importView {
	asked, so := j.Request.Import, j.Result.Import
	if so == nil {
		so = &job.ImportResult{}
	}
	v := &importView{
		Format:    asked.Format,
		DryRun:    asked.DryRun,
		Bytes:     asked.Bytes,
		Read:      so.Read,
		Created:   so.Created,
		Updated:   so.Updated,
		Unchanged: so.Unchanged,
		Refused:   so.Refused,
		Errors:    wire.Each(so.Problems, toAPIProblem),
		Warnings:  wire.Each(so.Warnings, toAPIProblem),
	}
	if so.Refused > 0 {
		v.ErrorsURL = new("/v1/imports/" + j.ID.String() + "/errors")
	}
	return v
}

func toAPIProblem(p catalog.LineProblem) importProblem {
	return importProblem{
		Line:    p.Line,
		SKU:     p.SKU,
		Field:   p.Field,
		Value:   p.Value,
		Problem: p.Message,
	}
}

type onImport struct {
	Job wire.Ref[id.Job] `path:"job_id"`
}

// refusedAtOnce is the number of refused products that are read at a time.
const refusedAtOnce = 200

func (h *handlers) exportImportErrors(ctx context.Context, rq operation.Request, in *onImport) (*huma.StreamResponse, error) {
	j, err := rq.Stores.Jobs.ByID(ctx, rq.Caller.Project.ID, in.Job.ID)
	switch {
	case err != nil:
		return nil, err
	case j.Kind != job.Import:
		return nil, fault.Missing("job")
	}
	var columns []string // nil: it is NDJSON
	if so := j.Result.Import; so != nil && len(so.Columns) > 0 {
		columns = so.Columns
	}
	return operation.Download(h.DownloadLane, rq.Caller.Tenant(), operation.Table{
		Name:    "refused.csv",
		Columns: catalogs.RefusalColumns(columns),
		Rows: func(ctx context.Context, write func(...string) error) error {
			for from := 1; ; from += refusedAtOnce {
				some, err := rq.Stores.Imports.Refused(ctx, j.Project, j.ID, from, refusedAtOnce)
				if err != nil || len(some) == 0 {
					return err
				}
				for _, product := range some {
					for _, row := range product.Rows {
						if err := write(row...); err != nil {
							return err
						}
					}
				}
			}
		},
	}), nil
}
