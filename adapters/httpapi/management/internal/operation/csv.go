package operation

import (
	"bufio"
	"context"
	"encoding/csv"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// csvType is what downloads are.
const csvType = "text/csv"

// csvAnswer documents a download.
func csvAnswer() map[string]*huma.Response {
	return map[string]*huma.Response{"200": {
		Description: "A table with a line of column names (RFC 4180). Text from others that begins like a formula is prefixed with a quote.",
		Headers: map[string]*huma.Param{"Content-Disposition": {
			Description: "A name for the file.", Schema: &huma.Schema{Type: huma.TypeString},
		}},
		Content: map[string]*huma.MediaType{csvType: {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
}

// csvBuffer is how many bytes of a table are buffered before they are sent.
const csvBuffer = 32 << 10

// Table is a download. Its rows are written as they are read.
type Table struct {
	Name    string // of the file
	Columns []string
	Rows    func(ctx context.Context, write func(cells ...string) error) error
}

// Download streams a table (RFC 4180, the first line names the columns). A failure before the first byte is
// an error like any other. A later failure aborts the connection, so that half a table does not look whole.
// The whole table must be sent within the time limit of one answer.
func Download(lane *wire.Lane, tenant string, t Table) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		placed, leave, err := lane.Enter(ctx.Context(), tenant)
		if err != nil {
			wire.WriteError(w, r, err)
			return
		}
		defer leave()
		body := &csvBody{to: w, name: t.Name}
		lines := csv.NewWriter(bufio.NewWriterSize(body, csvBuffer)) // which it takes as its own buffer
		lines.UseCRLF = true
		write := func(cells ...string) error { return lines.Write(cells) }
		err = write(t.Columns...)
		if err == nil {
			err = t.Rows(placed, write)
		}
		if err == nil {
			lines.Flush()
			err = lines.Error()
		}
		switch {
		case err == nil:
		case !body.begun:
			wire.WriteError(w, r, err)
		default:
			panic(http.ErrAbortHandler)
		}
	}}
}

// csvBody sends the response headers with the first bytes.
type csvBody struct {
	to    http.ResponseWriter
	name  string
	begun bool
}

func (b *csvBody) Write(part []byte) (int, error) {
	if !b.begun {
		b.begun = true
		b.to.Header().Set("Content-Type", csvType+"; charset=utf-8; header=present")
		b.to.Header().Set("Content-Disposition", `attachment; filename="`+b.name+`"`)
	}
	return b.to.Write(part)
}

// CSVTime is a time in a download, in UTC with milliseconds.
func CSVTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// CSVText keeps a spreadsheet from running other people's text as a formula: it puts a quote before text that begins like one.
func CSVText(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
