package faults

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// largestFrame exceeds any message of a test.
const largestFrame = 64 << 20

// requests reads the messages of a PostgreSQL client, one request at a time.
type requests struct {
	from    *bufio.Reader
	started bool
}

func requestReader(r io.Reader) *requests { return &requests{from: bufio.NewReader(r)} }

// next reads messages up to one that the server answers: a query, or the Sync of an extended query.
func (r *requests) next() ([]byte, error) {
	if !r.started { // the startup message has no type byte
		r.started = true
		return frame(r.from, nil, 0)
	}
	var all []byte
	for {
		kind, err := r.from.ReadByte()
		if err != nil {
			return nil, err
		}
		if all, err = frame(r.from, append(all, kind), len(all)+1); err != nil {
			return nil, err
		}
		switch kind {
		case 'P', 'B', 'D', 'E', 'C': // more messages of the request follow
		default:
			return all, nil
		}
	}
}

// answers reads the messages of a PostgreSQL server.
type answers struct{ from *bufio.Reader }

func answerReader(r io.Reader) *answers { return &answers{bufio.NewReader(r)} }

// next reads a message and reports whether it is the last of its answer.
func (a *answers) next() (message []byte, last bool, err error) {
	kind, err := a.from.ReadByte()
	if err != nil {
		return nil, false, err
	}
	message, err = frame(a.from, []byte{kind}, 1)
	return message, kind == 'Z', err
}

// frame reads a length field and the data that it counts, itself included, and appends both to to. The first header bytes of
// to are not part of the length.
func frame(from *bufio.Reader, to []byte, header int) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n < 4 || n > largestFrame {
		return nil, fmt.Errorf("a message of %d bytes", n)
	}
	to = append(to[:header], size[:]...)
	body := len(to)
	to = append(to, make([]byte, n-4)...)
	_, err := io.ReadFull(from, to[body:])
	return to, err
}
