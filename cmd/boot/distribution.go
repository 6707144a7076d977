package boot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// distributionNotes precede the statements of PrintDistribution.
const distributionNotes = `-- These statements distribute Haggle's tables by project with Citus 11 or later. Run them on the coordinator, as a superuser,
-- on a database with a current schema and without data.
--
-- They follow from the rules by which Citus distributes tables (primary keys, unique indexes and foreign keys contain
-- project_id), which tests check. They have not been run on a Citus cluster. Before you use them, read the open questions in
-- adapters/sqlstore/README.md, "Distribution by project".
`

// PrintDistribution writes the statements that distribute the tables of a PostgreSQL database by project. It changes nothing.
func PrintDistribution(ctx context.Context, c Config, to io.Writer) (err error) {
	store, _, err := c.openWhole(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.SchemaCurrent(ctx); err != nil {
		return err
	}
	d, err := store.Distribution(ctx)
	if err != nil {
		return err
	}
	if len(d.Problems) > 0 {
		return fmt.Errorf("cannot distribute the tables: %s", strings.Join(d.Problems, "; "))
	}
	fmt.Fprint(to, distributionNotes)
	fmt.Fprintf(to, "-- These tables stay on the coordinator: %s.\n", strings.Join(d.Local, ", "))
	for _, statement := range d.Statements() {
		fmt.Fprintln(to, statement+";")
	}
	return nil
}
