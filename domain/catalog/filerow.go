package catalog

// FileRow is an unparsed line or CSV record of a product file.
type FileRow struct {
	Number int
	Cells  []string // of a CSV record; nil if it could not be parsed
	Text   string   // of a line of NDJSON, or of an invalid CSV record
}
