package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/cmd/boot"
)

type importCmd struct {
	database
	File        string `arg:"" type:"existingfile" help:"CSV or NDJSON file; may be compressed with gzip (.gz)."`
	Project     string `required:"" placeholder:"NAME" help:"Slug or ID of the project."`
	Format      string `default:"haggle" enum:"haggle,shopify,woocommerce" help:"Column format of the file: haggle, shopify or woocommerce."`
	DryRun      bool   `help:"Validate the file and report what the import would do, without storing anything."`
	Errors      string `help:"Write rejected products with their errors to this new CSV file. Correct it and import it again." placeholder:"FILE"`
	AllowErrors bool   `help:"Exit with code 0 even if products were rejected."`
}

func (importCmd) Help() string {
	return `The import matches products by SKU: it creates new products, updates existing ones and skips unchanged ones. It rejects a product that
it cannot store, reports the line and the reason, and continues with the other products.`
}

// errRefused makes the exit code 1 if products were refused.
var errRefused = errors.New("products were rejected, see above; to exit with code 0 anyway, use --allow-errors")

// Run imports a file. It reports and skips invalid products, and stores each other product whole.
func (i importCmd) Run(ctx context.Context) error {
	if err := boot.ExistingFile(i.DatabaseURL); err != nil {
		return err
	}
	app, err := i.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(i.load(ctx, app), app.Close())
}

func (i importCmd) load(ctx context.Context, app *boot.App) (err error) {
	file := boot.ProductFile{
		Path:    i.File,
		Project: i.Project,
		Format:  feed.Formats[i.Format],
		DryRun:  i.DryRun,
	}
	if i.Errors != "" {
		refused, failed := os.OpenFile(i.Errors, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if failed != nil {
			return fmt.Errorf("--errors: %w", failed)
		}
		file.Refused = refused
		defer func() { err = errors.Join(err, refused.Close()) }()
	}
	shown := newProgress("importing", "products")
	file.Progress = func(so catalogs.Summary, read, size int64) {
		shown.show(int64(so.Read), read, size)
	}
	began := time.Now()
	sum, err := app.Import(ctx, file)
	shown.end()
	if looks, ok := errors.AsType[*feed.FormatError](err); ok {
		err = fmt.Errorf("%w (--format %s)", err, looks.Looks)
	}
	printImport(os.Stderr, sum)
	if err == nil || sum.Read > 0 {
		fmt.Println(importCounts(sum, i.DryRun, time.Since(began)))
	}
	if err == nil && sum.Refused > 0 && !i.AllowErrors {
		err = errRefused
	}
	return err
}

func printImport(to io.Writer, sum catalogs.Summary) {
	for _, line := range sum.Warnings.Lines() {
		fmt.Fprintln(to, "warning:", line)
	}
	for _, line := range sum.Problems.Lines() {
		fmt.Fprintln(to, line)
	}
}

// importCounts returns a summary such as "2 created, 1 updated, 7 unchanged, 3 rejected in 20ms (650 products/s)".
func importCounts(sum catalogs.Summary, dry bool, took time.Duration) string {
	var said strings.Builder
	if dry {
		said.WriteString("dry run, nothing stored: ")
	}
	fmt.Fprintf(&said, "%d created, %d updated, %d unchanged, %d rejected in %s", sum.Created, sum.Updated, sum.Unchanged, sum.Refused, took.Round(time.Millisecond))
	if took >= 100*time.Millisecond {
		fmt.Fprintf(&said, " (%.0f products/s)", float64(sum.Read)/took.Seconds())
	}
	return said.String()
}
