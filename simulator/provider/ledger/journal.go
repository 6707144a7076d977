package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// Journal is the ledger's file. One writer at a time appends lines. They are synced in groups: a sync covers all lines
// that are written by then.
type Journal struct {
	file    *os.File
	written atomic.Int64
	broken  error // the first failure, after which nothing is appended

	syncing sync.Mutex
	synced  int64
}

// OpenJournal replays the file's lines and opens it for appending. It cuts off an incomplete last line, which no answer
// depends on.
func OpenJournal(path string, replay func(Entry)) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	whole, err := replayLines(file, replay)
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ledger %s: %w", path, err), file.Close())
	}
	j := &Journal{file: file, synced: whole}
	j.written.Store(whole)
	return j, nil
}

// replayLines returns the number of bytes in complete lines.
func replayLines(file io.Reader, replay func(Entry)) (whole int64, err error) {
	content, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	for number := 1; len(content) > 0; number++ {
		line, rest, ended := bytes.Cut(content, []byte{'\n'})
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil || !ended {
			if len(rest) == 0 {
				return whole, nil
			}
			return 0, fmt.Errorf("line %d is damaged: %w", number, err)
		}
		replay(e)
		whole += int64(len(line)) + 1
		content = rest
	}
	return whole, nil
}

// Append writes one line. It is durable only after Sync.
func (j *Journal) Append(e Entry) error {
	if j.broken != nil {
		return j.broken
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		j.broken = fmt.Errorf("ledger: %w", err)
		return j.broken
	}
	j.written.Add(int64(len(line)) + 1)
	return nil
}

// Position returns the end of the appended lines.
func (j *Journal) Position() int64 { return j.written.Load() }

// Sync returns once everything up to position is on disk.
func (j *Journal) Sync(position int64) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.synced >= position {
		return nil
	}
	end := j.written.Load()
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	j.synced = end
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
