package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/verify"
	"github.com/haggle-commerce/haggle/cmd/boot"
)

type verifyCmd struct {
	database
	Provider string        `help:"URL of haggle simulate provider. Also compare its ledger with the database."`
	Wait     time.Duration `help:"Time to wait for payments in progress, such as 30s. Payments still in progress after that count as failures."`
}

// errDoesNotHold makes the exit code 1 if an invariant is violated.
var errDoesNotHold = errors.New("the database is inconsistent")

func (v verifyCmd) Run(ctx context.Context) error {
	if err := boot.CheckEnvironment(os.Environ()); err != nil {
		return err
	}
	c := v.config()
	checked, done := showSteps("verifying", "checks")
	found, err := boot.Verify(ctx, c, v.Provider, v.Wait, checked)
	done()
	if err != nil {
		return err
	}
	broken := printVerification(os.Stdout, found)
	if v.Wait > 0 && found.Undecided > 0 {
		fmt.Printf("fail  payments are completed within %s\n", v.Wait)
		broken = true
	}
	if broken {
		return errDoesNotHold
	}
	return nil
}

// printVerification prints the number of rows, a line for each invariant, and below it one for each violation.
func printVerification(w io.Writer, v verify.Verification) (broken bool) {
	counts := make([]string, len(v.Counts))
	for i, c := range v.Counts {
		counts[i] = fmt.Sprintf("%s %d", c.Of, c.Rows)
	}
	fmt.Fprintln(w, "Found", strings.Join(counts, ", "))
	for _, i := range v.Invariants {
		verdict := "ok"
		if len(i.Broken) > 0 {
			verdict, broken = "fail", true
		}
		fmt.Fprintf(w, "%-5s %s (%d checked)\n", verdict, i.Holds, i.Checked)
		for _, violation := range i.Broken {
			fmt.Fprintf(w, "      %s %s: %s\n", violation.Project, violation.Subject, violation.Says)
		}
	}
	fmt.Fprintf(w, "%d payments and refunds are in progress.\n", v.Undecided)
	return broken
}
