package backup

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

// kind is the kind of values in a column.
type kind int

const (
	number kind = iota
	truth       // PostgreSQL's boolean; SQLite has a number
	text
	binary
)

type column struct {
	name string
	kind kind
}

// table is one of the database.
type table struct {
	name    string
	columns []column // by name
	keys    []string // of the primary key, in its order
}

func (t table) names() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// catalogued are the tables of a database by name, without generated columns.
func catalogued(ctx context.Context, conn *sqlx.Conn, postgres bool) ([]table, error) {
	columns := sqliteColumns
	if postgres {
		columns = postgresColumns
	}
	var rows []struct {
		TableName, Name, Type string
		Place                 int // in the primary key; 0: not in it
	}
	if err := conn.SelectContext(ctx, &rows, columns); err != nil {
		return nil, err
	}
	var tables []table
	places := map[string]map[int]string{}
	for _, r := range rows {
		if n := len(tables); n == 0 || tables[n-1].name != r.TableName {
			tables = append(tables, table{name: r.TableName})
			places[r.TableName] = map[int]string{}
		}
		k, err := kindOf(r.Type)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", r.TableName, r.Name, err)
		}
		t := &tables[len(tables)-1]
		t.columns = append(t.columns, column{r.Name, k})
		if r.Place > 0 {
			places[r.TableName][r.Place] = r.Name
		}
	}
	for i := range tables {
		t := &tables[i]
		for place := 1; place <= len(places[t.name]); place++ {
			t.keys = append(t.keys, places[t.name][place])
		}
		if len(t.keys) == 0 {
			return nil, fmt.Errorf("%s has no primary key", t.name)
		}
	}
	return tables, nil
}

func kindOf(databaseType string) (kind, error) {
	switch strings.ToLower(databaseType) {
	case "bigint", "integer", "smallint":
		return number, nil
	case "boolean":
		return truth, nil
	case "text":
		return text, nil
	case "bytea", "blob":
		return binary, nil
	}
	return 0, fmt.Errorf("columns of type %s cannot be backed up", databaseType)
}

const (
	postgresColumns = `
SELECT c.table_name AS tablename, c.column_name AS name, c.data_type AS type, COALESCE((
  SELECT array_position(i.indkey, a.attnum) + 1
  FROM pg_index AS i
  JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attname = c.column_name
  WHERE i.indrelid = format('%I.%I', c.table_schema, c.table_name)::regclass
    AND i.indisprimary
), 0) AS place
FROM information_schema.columns AS c
JOIN information_schema.tables AS t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = 'public'
  AND t.table_type = 'BASE TABLE'
  AND c.is_generated = 'NEVER'
  AND c.table_name <> 'goose_db_version'
ORDER BY c.table_name COLLATE "C", c.column_name COLLATE "C"`

	sqliteColumns = `
SELECT t.name AS tablename, c.name AS name, c.type AS type, c.pk AS place
FROM sqlite_master AS t, pragma_table_xinfo(t.name) AS c
WHERE t.type = 'table'
  AND t.name NOT LIKE 'sqlite_%'
  AND t.name <> 'goose_db_version'
  AND c.hidden = 0
ORDER BY t.name, c.name`
)
