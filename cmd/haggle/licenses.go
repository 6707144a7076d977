package main

import (
	"os"

	"github.com/haggle-commerce/haggle/cmd/haggle/licenses"
)

type licensesCmd struct{}

func (licensesCmd) Run() error { return licenses.Print(os.Stdout) }
