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
	File        string `arg:"" type:"existingfile" help:"CSV or NDJSON, also gzipped (.gz)."`
	Project     string `required:"" placeholder:"NAME" help:"Slug or id of the project to load into."`
	Format      string `default:"haggle" enum:"haggle,shopify,woocommerce" help:"Whose columns the file has: haggle, shopify or woocommerce."`
	DryRun      bool   `help:"Check everything and say what would be done. Store nothing."`
	Errors      string `help:"Write the refused products to this new CSV file, with what is wrong, to mend and import them again." placeholder:"FILE"`
	AllowErrors bool   `help:"Exit with 0 also if products were refused."`
}

func (importCmd) Help() string {
	return `Products are told apart by their sku: new ones are created, known ones updated, and those that are as the file has them
are left alone. A product that cannot be stored is refused with its line and the reason, and all others are stored.`
}

// errRefused makes the exit code 1 if products were refused.
var errRefused = errors.New("products were refused: see above; --allow-errors exits with 0 all the same")

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

// importCounts returns a summary such as "2 created, 1 updated, 7 unchanged, 3 refused in 20ms (650 products/s)".
func importCounts(sum catalogs.Summary, dry bool, took time.Duration) string {
	var said strings.Builder
	if dry {
		said.WriteString("dry run, nothing is stored: ")
	}
	fmt.Fprintf(&said, "%d created, %d updated, %d unchanged, %d refused in %s", sum.Created, sum.Updated, sum.Unchanged, sum.Refused, took.Round(time.Millisecond))
	if took >= 100*time.Millisecond {
		fmt.Fprintf(&said, " (%.0f products/s)", float64(sum.Read)/took.Seconds())
	}
	return said.String()
}
