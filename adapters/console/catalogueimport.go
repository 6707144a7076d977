package console

import (
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// importJob is an import of the API.
type importJob struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Progress struct {
		Done  int `json:"done"`
		Total int `json:"total"`
	} `json:"progress"`
	CreatedAt time.Time `json:"created_at"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error"`
	Import *struct {
		DryRun    bool          `json:"dry_run"`
		Read      int           `json:"products_read"`
		Created   int           `json:"created"`
		Updated   int           `json:"updated"`
		Unchanged int           `json:"unchanged"`
		Refused   int           `json:"refused"`
		Errors    []lineProblem `json:"errors"`
		Warnings  []lineProblem `json:"warnings"`
	} `json:"import"`
}

type lineProblem struct {
	Line    int    `json:"line"`
	SKU     string `json:"sku"`
	Field   string `json:"field"`
	Value   string `json:"value"`
	Problem string `json:"problem"`
}

type importFormView struct {
	frame
	Back string
	Ask  *form
}

func (v *memberRequest) importForm() error { return v.askImport(url.Values{"dry_run": {"on"}}, nil) }

func (v *memberRequest) askImport(given url.Values, failed *problem) error {
	if !v.may("catalog:write") {
		return errNotStocking
	}
	view := &importFormView{frame: v.page("Import products", "catalogue"), Back: v.cataloguePath()}
	view.Ask = newForm(v.cataloguePath()+"/import", failed,
		field{
			Name:  "format",
			Label: "Columns of the file",
			Kind:  "select",
			Options: chosen([]option{
				{Value: "haggle", Word: "sku, name, price … (or one JSON object a line)"},
				{Value: "shopify", Word: "As Shopify exports products"},
				{Value: "woocommerce", Word: "As WooCommerce exports products"},
			}, given.Get("format")),
		},
		field{
			Name:  "dry_run",
			Label: "Preview: check the file, and store nothing",
			Kind:  "check",
			On:    given.Get("dry_run") == "on",
		})
	return v.showAfter(failed, "importform", view)
}

// mostImportField is the largest size of a form field that is sent with a file.
const mostImportField = 1 << 10

// mostImportParts bounds the parts of the form: its fields and the file.
const mostImportParts = 10

// startImport streams a file to the API as it arrives. The form's fields come before the file.
func (v *memberRequest) startImport() error {
	if !v.may("catalog:write") {
		return errNotStocking
	}
	given := url.Values{}
	parts, err := v.r.MultipartReader()
	for n := 0; err == nil && n < mostImportParts; n++ {
		var part *multipart.Part
		if part, err = parts.NextPart(); err != nil {
			break
		}
		if part.FormName() == "file" && part.FileName() != "" {
			return v.importFile(part, given)
		}
		text, err := io.ReadAll(io.LimitReader(part, mostImportField))
		if err != nil {
			return err
		}
		given.Set(part.FormName(), string(text))
	}
	return v.askImport(given, &problem{
		Status:  http.StatusUnprocessableEntity,
		Code:    "validation_error",
		Details: []detail{{"file", "is required"}},
	})
}

func (v *memberRequest) importFile(file *multipart.Part, given url.Values) error {
	query := url.Values{"format": {given.Get("format")}}
	if given.Get("dry_run") == "on" {
		query.Set("dry_run", "true")
	}
	header := http.Header{"Content-Type": {importType(file.FileName())}, "Idempotency-Key": {given.Get("key")}}
	var started importJob
	err := v.api.send(http.MethodPost, "/v1/imports?"+query.Encode(), header, file, &started)
	if p, refused := refusal(err); refused {
		return v.askImport(given, p)
	}
	if err != nil {
		return err
	}
	http.Redirect(v.w, v.r, v.cataloguePath()+"/imports/"+started.ID, http.StatusSeeOther)
	return nil
}

// importType is the media type of a file, by its name.
func importType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".ndjson", ".jsonl":
		return "application/x-ndjson"
	}
	return "text/csv"
}

// multipartForm reports whether a request is a multipart form, which may be larger than others.
func multipartForm(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data"
}

type importView struct {
	frame
	Back             string
	Job              importJob
	Pills            []pill
	When, Exact      string
	Running          bool
	Sum              []fact
	Errors, Warnings []lineProblem
	Download         string // the refused products; "": none
	Again            string
}

func (v *memberRequest) showImport() error {
	about := "/v1/jobs/" + url.PathEscape(v.r.PathValue("job"))
	j, err := fetch[importJob](v.api, about, nil)
	if err != nil {
		return err
	}
	if j.Import == nil {
		return &problem{
			Status:  http.StatusNotFound,
			Code:    "not_found",
			Message: "There is no such import.",
		}
	}
	view := &importView{
		frame:    v.page("Import", "catalogue"),
		Back:     v.cataloguePath(),
		Job:      j,
		Pills:    []pill{jobPills[j.Status]},
		When:     v.shop.words.clock(j.CreatedAt),
		Exact:    j.CreatedAt.Format(time.RFC3339),
		Running:  j.Status == "queued" || j.Status == "running",
		Errors:   j.Import.Errors,
		Warnings: j.Import.Warnings,
		Again:    v.cataloguePath() + "/import",
	}
	words := [...]string{"New", "Changed", "Unchanged", "Refused"}
	for i, n := range []int{j.Import.Created, j.Import.Updated, j.Import.Unchanged, j.Import.Refused} {
		view.Sum = append(view.Sum, fact{Label: words[i], Value: thousands(n)})
	}
	if j.Import.Refused > 0 && !view.Running {
		view.Download = v.cataloguePath() + "/imports/" + j.ID + "/errors.csv"
	}
	return v.show("import", view)
}

// jobPills are the states of jobs.
var jobPills = map[string]pill{
	"queued":    {"Waiting", "info"},
	"running":   {"Running", "info"},
	"succeeded": {"Done", "good"},
	"failed":    {"Failed", "bad"},
	"canceled":  {"Cancelled", ""},
}

func (v *memberRequest) importErrors() error {
	return v.api.stream(v.w, "/v1/imports/"+url.PathEscape(v.r.PathValue("job"))+"/errors", nil)
}
