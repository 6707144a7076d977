package job

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Import reads products from a file into the catalogue.
var Import = Kind{"import"}

const (
	// MostFileBytes bounds the file of an import.
	MostFileBytes = 32 << 20
	// MostUnpackedBytes bounds a compressed file of it, and MostFileProducts the products of a file: their SKUs, and
	// products whose variants may be anywhere in a file, are held in memory.
	MostUnpackedBytes = 64 << 20
	MostFileProducts  = 500_000
	// MostShownProblems are the problems that an import shows, and MostKeptRefusals the refused products that it keeps.
	MostShownProblems = 100
	MostKeptRefusals  = 10_000
)

// ImportRequest says how a file is to be read. The file is kept until the job is finished.
type ImportRequest struct {
	Format string
	NDJSON bool // else CSV
	DryRun bool // nothing is stored
	Bytes  int  // of the file
}

// ImportResult is what became of a file's products, so far.
type ImportResult struct {
	Read      int // all of those below
	Created   int
	Updated   int
	Unchanged int
	Refused   int
	Columns   []string // of the file; none: it is NDJSON
	Problems  []catalog.LineProblem
	Warnings  []catalog.LineProblem
}

// NewImport asks for an import.
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

// errNotHeld says that the attempt is over.
var errNotHeld = fault.New(fault.Conflict, "job_taken", "The job is finished, or worked on elsewhere.")

// Advance records what an attempt has found so far. It is refused once the job is canceled, or begun again.
func (j *Job) Advance(attempt int, so Result) error {
	if j.Status != Running || j.Attempts != attempt {
		return errNotHeld
	}
	j.Result = so
	return nil
}
