package sqlstore

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
)

func TestSmoke(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		p := id.Stored[id.Project]("proj_a")
		var a []struct{ N int }
		var c []struct {
			S string
			H []byte
			B bool
		}
		b := s.writing(p)
		b.exec(`INSERT INTO accounts (id, name, plan, created_at) VALUES ($1, $2, 'starter', $3)`, "x", "it's \\ $1", 5)
		b.query(&a, `SELECT 1 AS n WHERE 1 = 2`)
		b.query(&c, `SELECT name AS s, $1 AS h, 1 = 1 AS b FROM accounts`, []byte{1, 0, 255})
		b.exec(`UPDATE accounts SET name = $1`, "b")
		if err := b.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Log(a, c)
		r := s.reading(p)
		r.query(&c, `SELECT name AS s, $1 AS h, 1 = 1 AS b FROM accounts`, []byte{1, 0, 255})
		if err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Log(c)
	})
}
