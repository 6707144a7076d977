package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

type doctorCmd struct{ boot.Config }

// errTrouble ends the program with a failure, for scripts.
var errTrouble = errors.New("the server would not serve like this")

func (d doctorCmd) Run(ctx context.Context) error {
	trouble := false
	for _, f := range boot.Diagnose(ctx, d.Config) {
		fmt.Printf("%-5s %-19s %s\n", f.Verdict, f.About, f.Says)
		trouble = trouble || f.Verdict == boot.Trouble
	}
	if trouble {
		return errTrouble
	}
	return nil
}
