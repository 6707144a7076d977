// Package imports imports products from files that merchants upload. Service stores a file in parts as it arrives, and Worker
// imports it as a job on any replica. The transaction that stores a chunk of products also records its result, so that
// another replica resumes where one was stopped. Package catalogs decides how products are stored.
package imports

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/job"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// partBytes is the size of a stored part of a file, and so how much of a file is in memory.
const partBytes = 256 << 10

// Service stores uploaded files and starts the jobs that import them.
type Service struct {
	*ports.Stores
	Clock   ports.Clock
	Entropy ports.Entropy
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// File is a stored file whose job is not started yet.
type File struct {
	Job   id.Job
	Bytes int
	Sum   [sha256.Size]byte
}

var (
	errTooLarge = fault.New(fault.TooLarge, "body_too_large", "The file is larger than 32 MiB. Compress it with gzip, or import it in parts.")
	errNoFile   = fault.New(fault.Malformed, "invalid_request", "The body is empty. Send the file as the body.")
)

// Store stores a file as it reads it. If that fails, it discards the stored parts.
func (s *Service) Store(ctx context.Context, of id.Project, from io.Reader) (File, error) {
	f := File{Job: id.New[id.Job](s.Entropy.IDBits())}
	sum := sha256.New()
	err := s.store(ctx, of, &f, io.TeeReader(io.LimitReader(from, job.MostFileBytes+1), sum))
	switch {
	case err != nil:
	case f.Bytes == 0:
		err = errNoFile
	case f.Bytes > job.MostFileBytes:
		err = errTooLarge
	}
	if err != nil {
		return File{}, errors.Join(err, s.Discard(ctx, of, f))
	}
	f.Sum = [sha256.Size]byte(sum.Sum(nil))
	return f, nil
}

func (s *Service) store(ctx context.Context, of id.Project, f *File, from io.Reader) error {
	part := make([]byte, partBytes)
	for n := 0; ; n++ {
		size, err := io.ReadFull(from, part)
		f.Bytes += size
		if size > 0 && f.Bytes <= job.MostFileBytes {
			if failed := s.Imports.Keep(ctx, of, f.Job, n, part[:size]); failed != nil {
				return failed
			}
		}
		switch {
		case err == io.EOF, err == io.ErrUnexpectedEOF:
			return nil
		case err != nil:
			return fault.New(fault.Malformed, "invalid_request", "The body could not be read.").Because(err)
		}
	}
}

// Discard removes a file whose job is not started, even if ctx is canceled because the client has gone.
func (s *Service) Discard(ctx context.Context, of id.Project, f File) error {
	return s.Imports.Discard(context.WithoutCancel(ctx), of, f.Job)
}

// Start starts the job that imports a file.
func (s *Service) Start(ctx context.Context, p *project.Project, f File, r job.ImportRequest) (*job.Job, error) {
	r.Bytes = f.Bytes
	j := job.NewImport(f.Job, p.ID, r, p.Settings.Currency, s.Clock.Now())
	return j, s.Jobs.Start(ctx, j)
}
