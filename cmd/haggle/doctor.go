package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

type doctorCmd struct {
	boot.Config
	JSON bool `name:"json" help:"Print the findings as JSON."`
}

// errTrouble makes the exit code 1 if a check failed.
var errTrouble = errors.New("a check failed")

func (d doctorCmd) Run(ctx context.Context) error {
	found := boot.Diagnose(ctx, d.Config)
	if err := d.print(os.Stdout, found); err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(f boot.Finding) bool { return f.Verdict == boot.Fail }) {
		return errTrouble
	}
	return nil
}

func (d doctorCmd) print(w io.Writer, found []boot.Finding) error {
	if d.JSON {
		to := json.NewEncoder(w)
		to.SetIndent("", "  ")
		to.SetEscapeHTML(false)
		return to.Encode(map[string]any{"findings": found})
	}
	for _, f := range found {
		line := fmt.Sprintf("%-5s %-19s %s", f.Verdict, f.About, oneLine(f.Says))
		if f.Remedy != "" {
			line += ". Remedy: " + f.Remedy
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
