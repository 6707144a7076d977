package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
)

// longestLine is the maximum length of a row in bytes. It bounds the memory that a damaged file can take.
const longestLine = 256 << 20

// reader reads the lines of a backup.
type reader struct {
	in     *bufio.Reader
	sum    hash.Hash
	header Header
}

// open reads the header.
func open(from io.Reader) (*reader, error) {
	r := &reader{in: bufio.NewReaderSize(from, 1<<16), sum: sha256.New()}
	line, err := r.line()
	if errors.Is(err, ErrDamaged) {
		return nil, fmt.Errorf("%w, or it is damaged (%w)", ErrNoBackup, err)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(line, &r.header); err != nil || r.header.Format != Format {
		return nil, ErrNoBackup
	}
	r.sum.Write(line)
	return r, nil
}

// line is the next line, which is valid until the one after it is read.
func (r *reader) line() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := slices.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) < longestLine {
			line, err = r.in.ReadSlice('\n')
			long = append(long, line...)
		}
		line = long
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrIncomplete
	case err != nil:
		return nil, fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return line, nil
}

// sink receives the rows of a backup.
type sink interface {
	begin(table string, columns []string) error
	row(values []any) error
	end() error // of the table
}

// read passes everything to a sink, and fails unless the backup is complete and unchanged.
func (r *reader) read(to sink) (Summary, error) {
	found := map[string]int64{}
	var now tableLine
	finish := func() error {
		if now.Table == "" {
			return nil
		}
		return to.end()
	}
	var values []any
	for {
		line, err := r.line()
		if err != nil {
			return Summary{}, err
		}
		if line[0] == '[' {
			if values, err = parse(line, values[:0]); err != nil || len(values) != len(now.Columns) {
				return Summary{}, fmt.Errorf("%w: a row of %q cannot be read", ErrDamaged, now.Table)
			}
			if err := to.row(values); err != nil {
				return Summary{}, fmt.Errorf("%s: %w", now.Table, err)
			}
			found[now.Table]++
			r.sum.Write(line)
			continue
		}
		if err := finish(); err != nil {
			return Summary{}, fmt.Errorf("%s: %w", now.Table, err)
		}
		var next struct {
			tableLine
			endLine
		}
		if err := json.Unmarshal(line, &next); err != nil {
			return Summary{}, ErrDamaged
		}
		if next.Table == "" {
			return r.close(next.endLine, found)
		}
		r.sum.Write(line)
		now = next.tableLine
		if _, twice := found[now.Table]; twice {
			return Summary{}, ErrDamaged
		}
		found[now.Table] = 0
		if err := to.begin(now.Table, now.Columns); err != nil {
			return Summary{}, fmt.Errorf("%s: %w", now.Table, err)
		}
	}
}

// close compares the rows that were read with the last line.
func (r *reader) close(end endLine, found map[string]int64) (Summary, error) {
	sum := hex.EncodeToString(r.sum.Sum(nil))
	if end.SHA256 != sum || len(end.Rows) != len(found) {
		return Summary{}, ErrDamaged
	}
	for table, rows := range end.Rows {
		if n, ok := found[table]; !ok || n != rows {
			return Summary{}, ErrDamaged
		}
	}
	if _, err := r.in.ReadByte(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = ErrDamaged
		}
		return Summary{}, err
	}
	return Summary{r.header, found, sum}, nil
}

// parse reads a row. Numbers are int64.
func parse(line []byte, values []any) ([]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil {
		return nil, err
	}
	for i, v := range values {
		n, ok := v.(json.Number)
		if !ok {
			continue
		}
		whole, err := n.Int64()
		if err != nil {
			return nil, err
		}
		values[i] = whole
	}
	return values, nil
}

// convert returns a value of a row in the form that a column accepts.
func convert(v any, k kind) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case int64:
		if k == truth {
			return v != 0, nil
		}
		if k == number {
			return v, nil
		}
	case string:
		if k == text {
			return v, nil
		}
		if k == binary {
			return base64.StdEncoding.DecodeString(v)
		}
	}
	return nil, fmt.Errorf("%v does not fit its column", v)
}

// Check reads a backup to its end, and fails unless it is complete and unchanged.
func Check(from io.Reader, progress Progress) (Summary, error) {
	r, err := open(from)
	if err != nil {
		return Summary{}, err
	}
	return r.read(&counter{progress: progress})
}

// counter reports rows and stores nothing.
type counter struct {
	progress Progress
	table    string
	rows     int64
}

func (c *counter) begin(table string, _ []string) error {
	c.table, c.rows = table, 0
	return nil
}

func (c *counter) row([]any) error {
	if c.rows++; c.rows%rowsPerProgress == 0 {
		c.progress(c.table, rowsPerProgress)
	}
	return nil
}

func (c *counter) end() error {
	c.progress(c.table, c.rows%rowsPerProgress)
	return nil
}
