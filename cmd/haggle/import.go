package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

type importCmd struct {
	database
	File    string `arg:"" type:"existingfile" help:"CSV or NDJSON, also gzipped (.gz)."`
	Project string `required:"" help:"Slug of the project to load into."`
}

// Run loads a file. Bad lines are reported and skipped; every other line is loaded whole.
func (i importCmd) Run(ctx context.Context) error {
	app, err := i.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(i.load(ctx, app), app.Close())
}

func (i importCmd) load(ctx context.Context, app *boot.App) error {
	var bar *progressbar.ProgressBar
	began := time.Now()
	summary, err := app.Import(ctx, i.Project, i.File, func(read, size int64) {
		if bar == nil {
			bar = progressbar.NewOptions64(size, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionShowBytes(true),
				progressbar.OptionSetDescription("importing"), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		}
		_ = bar.Set64(read)
	})
	if bar != nil {
		_ = bar.Finish()
	}
	for _, problem := range summary.Problems {
		fmt.Fprintf(os.Stderr, "line %d: %v\n", problem.Line, problem.Err)
	}
	took := time.Since(began)
	fmt.Printf("%d created, %d updated, %d refused in %s (%.0f products/s)\n", summary.Created, summary.Updated, summary.Failed,
		took.Round(time.Millisecond), float64(summary.Created+summary.Updated)/took.Seconds())
	return err
}
