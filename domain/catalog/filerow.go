package catalog

// FileRow is a line, or a CSV record, of a product file, as it is written.
type FileRow struct {
	Number int
	Cells  []string // of a CSV record; nil if it could not be taken apart
	Text   string   // of a line of NDJSON, and of what is no CSV
}
