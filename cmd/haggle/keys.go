package main

import (
	"context"
	"errors"
	"fmt"
	"os"
)

type keysCmd struct {
	Create createKeyCmd `cmd:"" help:"Create an API key. Its secret is shown once."`
}

type createKeyCmd struct {
	database
	Name   string   `default:"default" help:"What the key is for."`
	Plan   string   `default:"enterprise" enum:"starter,growth,enterprise" help:"Plan of the account, when there is none yet."`
	Scopes []string `default:"*" help:"Such as catalog:write,projects:read. \"*\" is all of them."`
}

func (k createKeyCmd) Run(ctx context.Context) error {
	app, err := k.open(ctx)
	if err != nil {
		return err
	}
	secret, err := app.CreateKey(ctx, k.Name, k.Plan, k.Scopes)
	if err != nil {
		return errors.Join(err, app.Close())
	}
	fmt.Fprintln(os.Stderr, "This is the only time the key is shown:")
	fmt.Println(secret)
	return app.Close()
}
