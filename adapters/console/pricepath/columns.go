package pricepath

// mostColumns is the number of columns that fit side by side. With more steps, some share a column.
const mostColumns = 24

// column is a place on the x axis for a step, or for several folded steps. Its prices are those of its last step.
type column struct {
	from, to int // steps by index, both included
	held     bool
	x        int
}

func (c column) folded() int        { return c.to - c.from + 1 }
func (c column) has(index int) bool { return c.from <= index && index <= c.to }

// at returns the step that a column shows.
func (p *Path) at(c column) *step { return &p.steps[c.to] }

// columns lays out the steps. If there are too many, it folds runs in which the shop holds its price, and then the middle into
// one column.
func (p *Path) columns() []column {
	n := len(p.steps)
	cols := make([]column, 0, min(n, mostColumns+1))
	for i := 0; i < n; i++ {
		c := column{from: i, to: i}
		if n > mostColumns && i > 0 {
			for c.to+2 < n && p.steps[c.to].holds() && p.steps[c.to+1].holds() {
				c.to++
			}
			c.held = c.to > c.from
			i = c.to
		}
		cols = append(cols, c)
	}
	return squeeze(cols)
}

// squeeze makes the middle columns one.
func squeeze(cols []column) []column {
	if len(cols) <= mostColumns {
		return cols
	}
	const head, tail = 11, mostColumns - 12
	middle := column{from: cols[head].from, to: cols[len(cols)-tail-1].to}
	out := append(cols[:head:head], middle)
	return append(out, cols[len(cols)-tail:]...)
}

// spread sets the x of the columns between two places, as if there were at least span columns.
func spread(cols []column, x0, x1, span int) (gap int) {
	n := max(len(cols), span)
	if n <= 1 {
		cols[0].x = (x0 + x1) / 2
		return x1 - x0
	}
	for i := range cols {
		cols[i].x = x0 + i*(x1-x0)/(n-1)
	}
	return (x1 - x0) / (n - 1)
}
