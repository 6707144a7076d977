package sqlstore_test

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// rollingSince is the first migration that follows the rules of rollingRules.
const rollingSince = 103

// A migration runs while servers of the previous release use the database and readers keep transactions open. It
// therefore only expands the schema, and holds no lock on a table for longer than a change of the catalogue takes. A
// later release's migration drops what has fallen out of use, and says so: "-- contract: unused since 0.3.0".
var rollingRules = []struct {
	forbids *regexp.Regexp
	unless  *regexp.Regexp // of the same statement, where it is not nil
	instead string
}{
	{regexp.MustCompile(`^CREATE (UNIQUE )?INDEX (?P<name>\w+) ON (?P<table>\w+)`), nil, "CREATE INDEX CONCURRENTLY, in a migration with NO TRANSACTION"},
	{regexp.MustCompile(`^DROP INDEX`), regexp.MustCompile(`^DROP INDEX CONCURRENTLY`), "DROP INDEX CONCURRENTLY"},
	{regexp.MustCompile(`^ALTER TABLE (ONLY )?(?P<table>\w+) .*ADD CONSTRAINT \w+ (CHECK|FOREIGN KEY)`), regexp.MustCompile(`NOT VALID$`), "ADD CONSTRAINT … NOT VALID, and VALIDATE CONSTRAINT in a later migration"},
	{regexp.MustCompile(`^ALTER TABLE (ONLY )?(?P<table>\w+) .*ADD CONSTRAINT \w+ (UNIQUE|PRIMARY KEY|EXCLUDE)`), regexp.MustCompile(`USING INDEX`), "CREATE UNIQUE INDEX CONCURRENTLY, and ADD CONSTRAINT … USING INDEX"},
	{regexp.MustCompile(`^ALTER TABLE (ONLY )?(?P<table>\w+) .*ADD COLUMN .*(NOT NULL|REFERENCES|UNIQUE|CHECK)`), regexp.MustCompile(`NOT NULL DEFAULT [^,]*$`), "one nullable column, or one with a constant default, in each statement; constraints on their own"},
	{regexp.MustCompile(`^ALTER TABLE (ONLY )?(?P<table>\w+) .*SET NOT NULL`), nil, "a CHECK (column IS NOT NULL) that is NOT VALID at first, and VALIDATE CONSTRAINT"},
	{regexp.MustCompile(`^ALTER TABLE (ONLY )?(?P<table>\w+) .*(ALTER COLUMN \w+ (SET DATA )?TYPE|RENAME)`), nil, "a new column beside the old one"},
	{regexp.MustCompile(`^(DROP (TABLE|VIEW|FUNCTION|TRIGGER)|ALTER TABLE (ONLY )?(?P<table>\w+) .*DROP)`), widened, "-- contract: unused since a release"},
	{regexp.MustCompile(`^(LOCK|CLUSTER|VACUUM FULL|REINDEX)`), nil, "nothing that locks a whole table"},
}

// widened is a CHECK whose place another one takes. It must permit whatever the one before did, for servers of the
// release before go on writing.
var widened = regexp.MustCompile(`^ALTER TABLE \w+ DROP CONSTRAINT \w+, ADD CONSTRAINT \w+ CHECK .* NOT VALID$`)

var (
	createdTable = regexp.MustCompile(`^CREATE TABLE (IF NOT EXISTS )?(\w+)`)
	lockedTable  = regexp.MustCompile(`^(ALTER TABLE (ONLY )?|CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER .* ON )(\w+)`)
	contractNote = regexp.MustCompile(`(?m)^-- contract: unused since \d+\.\d+\.\d+`)
	sqlComment   = regexp.MustCompile(`(?m)--.*$`)
)

// againstRolling returns what the text of a migration does that servers of the release before would notice.
func againstRolling(text string) (found []string) {
	if contractNote.MatchString(text) {
		return nil
	}
	var created []string
	waits := false // for a lock on a table that servers use
	for statement := range strings.SplitSeq(sqlComment.ReplaceAllString(text, ""), ";") {
		statement = strings.Join(strings.Fields(statement), " ")
		if match := createdTable.FindStringSubmatch(statement); match != nil {
			created = append(created, match[2])
		}
		if match := lockedTable.FindStringSubmatch(statement); match != nil && !slices.Contains(created, match[3]) {
			waits = true
		}
		for _, rule := range rollingRules {
			match := rule.forbids.FindStringSubmatch(statement)
			if match == nil || rule.unless != nil && rule.unless.MatchString(statement) {
				continue
			}
			if i := rule.forbids.SubexpIndex("table"); i > 0 && slices.Contains(created, match[i]) {
				continue // nobody uses the table yet
			}
			found = append(found, statement+": use "+rule.instead)
		}
	}
	if waits && !strings.Contains(text, "lock_timeout") {
		found = append(found, "it waits for locks: use SET LOCAL lock_timeout, and it is tried again")
	}
	return found
}

func TestMigrations_rolling(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(storetest.MigrationsOf("postgres"), "*.sql")
	if err != nil || len(files) < 50 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		number, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		if version < rollingSince {
			continue
		}
		text, err := fs.ReadFile(storetest.MigrationsOf("postgres"), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range againstRolling(string(text)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

func TestMigrations_rollingRules(t *testing.T) {
	t.Parallel()
	for text, bad := range map[string]bool{
		"CREATE TABLE new (id TEXT); CREATE INDEX i ON new (id)": false,
		"CREATE INDEX i ON orders (id)":                          true,
		"CREATE INDEX CONCURRENTLY i ON orders (id)":             false,
		"DROP INDEX i":                                                                        true,
		"DROP INDEX CONCURRENTLY IF EXISTS i":                                                 false,
		"ALTER TABLE orders ADD CONSTRAINT c CHECK (total > 0)":                               true,
		"ALTER TABLE orders\n  ADD CONSTRAINT c CHECK (total > 0) NOT VALID":                  false,
		"ALTER TABLE orders VALIDATE CONSTRAINT c":                                            false,
		"ALTER TABLE orders ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES b (a)":                true,
		"ALTER TABLE orders ADD CONSTRAINT c UNIQUE (a)":                                      true,
		"ALTER TABLE orders ADD CONSTRAINT c UNIQUE USING INDEX i":                            false,
		"ALTER TABLE orders DROP CONSTRAINT c":                                                true,
		"ALTER TABLE orders DROP CONSTRAINT c, ADD CONSTRAINT c CHECK (a OR b) NOT VALID":     false,
		"ALTER TABLE orders ADD COLUMN a TEXT":                                                false,
		"ALTER TABLE orders ADD COLUMN a TEXT NOT NULL":                                       true,
		"ALTER TABLE orders ADD COLUMN a TEXT NOT NULL DEFAULT ''":                            false,
		"ALTER TABLE orders ADD COLUMN a TEXT NOT NULL DEFAULT '', ADD COLUMN b INT NOT NULL": true,
		"ALTER TABLE orders ADD COLUMN a TEXT REFERENCES b (a)":                               true,
		"ALTER TABLE orders ALTER COLUMN a SET NOT NULL":                                      true,
		"ALTER TABLE orders ALTER COLUMN a TYPE BIGINT":                                       true,
		"ALTER TABLE orders RENAME COLUMN a TO b":                                             true,
		"ALTER TABLE orders DROP COLUMN a":                                                    true,
		"-- contract: unused since 0.2.0\nALTER TABLE orders DROP COLUMN a":                   false,
		"DROP TABLE orders":              true,
		"-- DROP TABLE orders\nSELECT 1": false,
		"LOCK TABLE orders":              true,
	} {
		if found := againstRolling("SET LOCAL lock_timeout = '3s';\n" + text); (len(found) > 0) != bad {
			t.Errorf("%s: %v", text, found)
		}
	}
	if found := againstRolling("ALTER TABLE orders ADD COLUMN a TEXT"); len(found) != 1 || !strings.Contains(found[0], "lock_timeout") {
		t.Errorf("without lock_timeout: %v", found)
	}
}
