package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Distribution divides the tables of PostgreSQL as Citus does (Citus documentation, "Creating and Modifying Distributed
// Objects (DDL)", and "Combining Postgres & Citus tables, feat. foreign keys" of June 2021).
type Distribution struct {
	// Distributed have project_id in their primary key, in every unique index and in every foreign key to one another. A
	// table comes after those that it refers to.
	Distributed []string
	// Reference are on every node, because distributed tables refer to them or an index of theirs is unique across projects.
	// A table comes after those that it refers to.
	Reference []string
	// Local stay on the coordinator.
	Local []string
	// Problems are foreign keys that Citus does not support.
	Problems []string
}

type relation struct {
	Name       string
	HasProject bool `db:"has_project"`
	Across     bool // a unique index lacks project_id
}

type reference struct {
	Name, From, Onto string
	ByProject        bool `db:"by_project"` // project_id is among its columns, on both sides
}

const selectRelations = `
SELECT c.relname AS name,
  EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'project_id' AND NOT a.attisdropped AND a.attnotnull) AS has_project,
  EXISTS (
    SELECT FROM pg_index AS i
    WHERE i.indrelid = c.oid
      AND i.indisunique
      AND NOT EXISTS (
        SELECT FROM pg_attribute AS a
        WHERE a.attrelid = c.oid
          AND a.attname = 'project_id'
          AND a.attnum = ANY (i.indkey)
      )
  ) AS across
FROM pg_class AS c
WHERE c.relnamespace = 'public'::regnamespace
  AND c.relkind = 'r'
  AND c.relname <> 'goose_db_version'
ORDER BY c.relname`

const selectReferences = `
SELECT k.conname AS name, k.conrelid::regclass::text AS from, k.confrelid::regclass::text AS onto,
  EXISTS (
    SELECT FROM generate_subscripts(k.conkey, 1) AS n
    JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[n] AND a.attname = 'project_id'
    JOIN pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[n] AND b.attname = 'project_id'
  ) AS by_project
FROM pg_constraint AS k
WHERE k.contype = 'f'
  AND k.connamespace = 'public'::regnamespace
ORDER BY k.conname`

// Distribution divides the tables by what the database's catalogue says of them.
func (s *DB) Distribution(ctx context.Context) (Distribution, error) {
	if !s.Dialect.OneTrip {
		return Distribution{}, errors.New("only PostgreSQL's tables can be distributed")
	}
	var tables []relation
	if err := s.ReadPool().SelectContext(ctx, &tables, selectRelations); err != nil {
		return Distribution{}, err
	}
	var references []reference
	if err := s.ReadPool().SelectContext(ctx, &references, selectReferences); err != nil {
		return Distribution{}, err
	}
	return distribute(tables, references), nil
}

const (
	local = iota
	everywhere
	byProject
)

func distribute(tables []relation, references []reference) (d Distribution) {
	kind := map[string]int{}
	for _, t := range tables {
		switch {
		case t.HasProject && !t.Across:
			kind[t.Name] = byProject
		case t.HasProject:
			kind[t.Name] = everywhere
		}
	}
	// Tables that tables on other nodes refer to are on every node, too.
	for again := true; again; {
		again = false
		for _, r := range references {
			if kind[r.From] != local && kind[r.Onto] == local {
				kind[r.Onto], again = everywhere, true
			}
		}
	}
	for _, r := range references {
		switch {
		case kind[r.From] == byProject && kind[r.Onto] == byProject && !r.ByProject:
			d.Problems = append(d.Problems, fmt.Sprintf("%s of %s: it lacks project_id", r.Name, r.From))
		case kind[r.From] != byProject && kind[r.Onto] == byProject:
			d.Problems = append(d.Problems, fmt.Sprintf("%s of %s: it refers to %s, which is distributed", r.Name, r.From, r.Onto))
		}
	}
	for _, name := range parentsFirst(tables, references) {
		switch kind[name] {
		case byProject:
			d.Distributed = append(d.Distributed, name)
		case everywhere:
			d.Reference = append(d.Reference, name)
		default:
			d.Local = append(d.Local, name)
		}
	}
	return d
}

// parentsFirst sorts tables so that each comes after those that it refers to, except in cycles.
func parentsFirst(tables []relation, references []reference) (sorted []string) {
	var visit func(name string)
	seen := map[string]bool{}
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, r := range references {
			if r.From == name {
				visit(r.Onto)
			}
		}
		sorted = append(sorted, name)
	}
	for _, t := range tables {
		visit(t.Name)
	}
	return slices.Clip(sorted)
}

// Statements are what an administrator runs on the coordinator of a Citus cluster, on an empty schema.
func (d Distribution) Statements() (list []string) {
	if len(d.Problems) > 0 || len(d.Distributed) == 0 {
		return nil
	}
	// Triggers of distributed tables are safe, because each only works on rows of its own project, which are on the
	// same node.
	list = append(list, "SET citus.enable_unsafe_triggers = on")
	for _, name := range d.Reference {
		list = append(list, fmt.Sprintf("SELECT create_reference_table('%s')", name))
	}
	for i, name := range d.Distributed {
		with := ""
		if i > 0 {
			with = fmt.Sprintf(", colocate_with => '%s'", d.Distributed[0])
		}
		list = append(list, fmt.Sprintf("SELECT create_distributed_table('%s', 'project_id'%s)", name, with))
	}
	return list
}
