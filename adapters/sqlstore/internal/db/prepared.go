package db

import (
	"database/sql/driver"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// On PostgreSQL a repeated statement is prepared once on each connection, because planning costs more than running it.
// The text of a batch has EXECUTE with literals in its place, so the batch stays one round trip. A prepared statement
// has one generic plan (plan_cache_mode, postgres.go), so a condition that an index needs must be in its text.

const (
	// preparedAfter is how often a statement is sent before it is prepared, and mostPrepared the maximum number of
	// prepared statements: each takes tens of kilobytes of every connection's memory.
	preparedAfter = 5
	mostPrepared  = 400
	// mostCounted is the maximum number of unprepared statements that are counted.
	mostCounted = 10_000
)

// statements are those that all connections of a pool prepare. The zero value is ready.
type statements struct {
	mu       sync.RWMutex
	prepared map[string]*prepared
	counted  map[string]*counted
}

// prepared is a statement that is prepared. It does not change.
type prepared struct {
	number int
	name   string
	create string // the PREPARE statement
	types  []byte // a letter of typeNames for each parameter
}

// counted is a statement that is not prepared yet. types has what its arguments have been so far.
type counted struct {
	times int
	types []byte
}

// typeNames are the types that parameters are prepared with. PostgreSQL infers that of a parameter that has always been
// NULL.
var typeNames = map[byte]string{'i': "bigint", 'b': "boolean", 'x': "bytea", 't': "text", 'n': "unknown"}

func typeOf(arg any) byte {
	switch arg.(type) {
	case int64:
		return 'i'
	case bool:
		return 'b'
	case []byte:
		return 'x'
	case string:
		return 't'
	}
	return 'n'
}

// of returns the prepared form of a statement with these arguments; nil: it is sent as it is.
func (s *statements) of(statement string, args []any) *prepared {
	s.mu.RLock()
	p := s.prepared[statement]
	full := len(s.prepared) >= mostPrepared
	s.mu.RUnlock()
	if p == nil && !full {
		p = s.count(statement, args)
	}
	if p == nil || !p.takes(args) {
		return nil
	}
	return p
}

// takes reports whether the arguments have the types that the statement was prepared with. NULL has every type.
func (p *prepared) takes(args []any) bool {
	if len(args) != len(p.types) {
		return false
	}
	for i, arg := range args {
		if have := typeOf(arg); have != p.types[i] && have != 'n' && p.types[i] != 'n' {
			return false
		}
	}
	return true
}

// count counts a statement, and prepares it when it has come often enough.
func (s *statements) count(statement string, args []any) *prepared {
	if !preparable(statement) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.prepared[statement]; p != nil {
		return p
	}
	c := s.counted[statement]
	if c == nil {
		if s.counted == nil || len(s.counted) >= mostCounted {
			s.counted = make(map[string]*counted)
		}
		c = &counted{types: slices.Repeat([]byte{'n'}, len(args))}
		s.counted[statement] = c
	}
	c.see(args)
	if c.times < preparedAfter {
		return nil
	}
	if s.prepared == nil {
		s.prepared = make(map[string]*prepared)
	}
	p := newPrepared(len(s.prepared), statement, c.types)
	s.prepared[statement] = p
	delete(s.counted, statement)
	return p
}

func (c *counted) see(args []any) {
	c.times++
	if len(args) != len(c.types) {
		return
	}
	for i, arg := range args {
		if t := typeOf(arg); t != 'n' {
			c.types[i] = t
		}
	}
}

func newPrepared(number int, statement string, types []byte) *prepared {
	p := &prepared{
		number: number,
		name:   "haggle_" + strconv.Itoa(number),
		types:  types,
	}
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = typeNames[t]
		if t == 'n' && !strings.Contains(statement, parameterAt(i+1)) {
			list[i] = "text" // a parameter that is not used has some type, too
		}
	}
	p.create = "PREPARE " + p.name
	if len(list) > 0 {
		p.create += " (" + strings.Join(list, ", ") + ")"
	}
	p.create += " AS " + statement + ";\n"
	return p
}

// preparable reports whether PREPARE takes a statement.
func preparable(statement string) bool {
	statement = strings.TrimLeft(statement, "\n\t ")
	for _, verb := range []string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"} {
		if strings.HasPrefix(statement, verb) {
			return true
		}
	}
	return false
}

// unprepared reports whether an error means that a connection lacks its prepared statements, as behind a pooler that
// gives each transaction another connection, or that the schema changed under one. Nothing was written.
func unprepared(err error) bool {
	var pgErr *pq.Error
	if !errors.As(err, &pgErr) {
		return false
	}
	switch pgErr.Code {
	case "26000", "42P05": // invalid_sql_statement_name, duplicate_prepared_statement
		return true
	case "0A000":
		return strings.Contains(pgErr.Message, "cached plan")
	}
	return false
}

// text is one or more statements for a connection.
type text struct {
	strings.Builder
	conn  *pgConn // nil: nothing is prepared
	fresh []*prepared
}

// usual is the length of the texts of most batches, in bytes.
const usual = 1 << 10

func textFor(conn *sqlx.Conn) *text {
	t := &text{}
	t.Grow(usual)
	_ = conn.Raw(func(driverConn any) error {
		t.conn, _ = driverConn.(*pgConn)
		return nil
	})
	return t
}

// add appends a statement with its arguments, which come from Plain. The text before it must end in a semicolon.
func (t *text) add(statement string, args []any) error {
	var p *prepared
	if t.conn != nil && t.conn.all != nil {
		p = t.conn.all.of(statement, args)
	}
	if p == nil {
		return inline(&t.Builder, statement, args)
	}
	if t.conn.forgotten && t.fresh == nil { // after BEGIN, so that it still can set the isolation level
		t.WriteString("DEALLOCATE ALL;\n")
	}
	if !t.has(p) {
		t.WriteString(p.create)
		t.fresh = append(t.fresh, p)
	}
	t.execute(p, args)
	return nil
}

func (t *text) has(p *prepared) bool {
	return !t.conn.forgotten && p.number < len(t.conn.prepared) && t.conn.prepared[p.number] || slices.Contains(t.fresh, p)
}

func (t *text) execute(p *prepared, args []any) {
	t.WriteString("EXECUTE ")
	t.WriteString(p.name)
	before := byte('(')
	for _, arg := range args {
		t.WriteByte(before)
		writeLiteral(&t.Builder, arg)
		before = ','
	}
	if len(args) > 0 {
		t.WriteByte(')')
	}
}

// sent notes the result of the text. Prepared statements stay, even if the transaction is rolled back; after an error
// it is unknown which exist.
func (t *text) sent(err error) {
	switch {
	case t.conn == nil:
	case err != nil:
		t.conn.forgotten = t.conn.forgotten || len(t.fresh) > 0 || unprepared(err)
	case len(t.fresh) > 0:
		t.conn.remember(t.fresh)
	}
}

// pgConn is a connection of lib/pq with what is prepared on it.
type pgConn struct {
	pqConn
	socket    *socket
	guarded   bool        // it has the role that row-level security holds
	all       *statements // nil: nothing is prepared
	prepared  []bool      // by number
	forgotten bool        // it is unknown which statements are prepared
	standby   bool        // its server does not write
}

// IsValid is database/sql's, which keeps a connection in its pool as long as it is valid.
func (c *pgConn) IsValid() bool { return !c.standby && c.pqConn.IsValid() }

// pqConn is what database/sql uses of a connection of lib/pq.
type pqConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.QueryerContext
	driver.ExecerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	driver.NamedValueChecker
}

func (c *pgConn) remember(fresh []*prepared) {
	if c.forgotten {
		c.forgotten = false
		clear(c.prepared)
	}
	for _, p := range fresh {
		if more := p.number + 1 - len(c.prepared); more > 0 {
			c.prepared = append(c.prepared, make([]bool, more)...)
		}
		c.prepared[p.number] = true
	}
}
