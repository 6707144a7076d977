package job

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Import imports products from a file into the catalogue.
var Import = Kind{"import"}

const (
	// MostFileBytes is the largest size of the file of an import.
	MostFileBytes = 32 << 20
	// MostUnpackedBytes is the largest decompressed size, and MostFileProducts the largest number of products: SKUs,
	// and products whose variants may be anywhere in the file, are kept in memory.
	MostUnpackedBytes = 64 << 20
	MostFileProducts  = 500_000
	// MostShownProblems is the largest number of problems that an import shows, and MostKeptRefusals that of refused
	// products that it stores.
	MostShownProblems = 100
	MostKeptRefusals  = 10_000
)

// ImportRequest has the parameters of an import. The file is stored until the job is finished.
type ImportRequest struct {
	Format string
	NDJSON bool // else CSV
	DryRun bool // nothing is stored
	Bytes  int  // size of the file
}

// ImportResult counts the products of a file by outcome so far.
type ImportResult struct {
	Read      int // all of those below
	Created   int
	Updated   int
	Unchanged int
	Refused   int
	Columns   []string // of the file; nil: NDJSON
	Problems  []catalog.LineProblem
	Warnings  []catalog.LineProblem
}

// NewImport returns a queued import job.
func NewImport(name id.Job, of id.Project, r ImportRequest, c money.Currency, now time.Time) *Job {
	return &Job{
		ID:        name,
		Project:   of,
		Kind:      Import,
		Status:    Queued,
		Currency:  c,
		Request:   Request{Import: &r},
		Total:     r.Bytes,
		CreatedAt: now,
		DueAt:     now,
	}
}

// errNotHeld means that the attempt no longer has the job.
var errNotHeld = fault.New(fault.Conflict, "job_taken", "The job is finished, or worked on elsewhere.")

// Advance records the result of an attempt so far. It returns an error once the job is canceled or begun again.
func (j *Job) Advance(attempt int, so Result) error {
	if j.Status != Running || j.Attempts != attempt {
		return errNotHeld
	}
	j.Result = so
	return nil
}
