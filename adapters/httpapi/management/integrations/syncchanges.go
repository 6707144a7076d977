package integrations

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerSyncChanges(g operation.Group, integration string) {
	operation.Register(g, "list-sync-changes", "GET "+integration+"/sync/{sync_id}/changes",
		"List the changes of a preview, and the conflicts of a sync", h.listSyncChanges)
	operation.Register(g, "list-conflicts", "GET "+integration+"/conflicts",
		"List fields that both the platform and the merchant changed, newest first", operation.HandleList(h.listConflicts, toAPISyncChange))
}

// SyncChangesView is a page of the list of a sync's changes, with the counts of all.
type SyncChangesView struct {
	Data  []SyncChangeView `json:"data"`
	Meta  operation.Meta   `json:"meta"`
	Found syncFound        `json:"found" doc:"The number found by the whole sync so far, of all resources."`
	Cut   bool             `json:"cut" doc:"Whether the sync has found more than the list has: the list ends at 1,000."`
}

// syncFound counts what a list could have.
type syncFound struct {
	Created   int `json:"created" doc:"For a preview; 0 for any other sync, which counts in resources."`
	Changed   int `json:"changed" doc:"For a preview."`
	Archived  int `json:"archived" doc:"For a preview."`
	Conflicts int `json:"conflicts" doc:"The number of fields."`
}

// SyncChangeView is a record that a preview would change, or a field in conflict.
type SyncChangeView struct {
	SyncID   *string           `json:"sync_id" nullable:"true" doc:"Null: a webhook reported the record."`
	Kind     string            `json:"kind" enum:"created,changed,archived,conflict" doc:"created, changed, archived: what a sync would do to the record; the data of an archived customer is deleted. conflict: both sides changed a field since they last agreed."`
	Resource string            `json:"resource" enum:"products,orders,customers"`
	RecordID string            `json:"record_id" example:"7463529" doc:"The platform's id of the record."`
	LocalID  *string           `json:"local_id" nullable:"true" example:"prod_06fszq2d8v3m5xk9t1c7w4hpeg" doc:"The id of the local product or order. Null: there is none yet."`
	Title    *string           `json:"title" nullable:"true" example:"Trail tent" doc:"The local product's name, or the platform's if there is none here. Null for customers and orders, because only their ids are stored."`
	Fields   []fieldChangeView `json:"fields" doc:"The fields that differ: one for a conflict, none for customers, orders and created records."`
	At       wire.Time         `json:"at"`
}

// fieldChangeView is a field with its value on both sides.
type fieldChangeView struct {
	Field  string     `json:"field" enum:"sku,name,price,category,description,brand,images,attributes,tags,variants,status" example:"price"`
	Ours   fieldValue `json:"ours" doc:"The local value."`
	Theirs fieldValue `json:"theirs" doc:"The platform's value."`
	Cut    bool       `json:"cut" doc:"Whether a value is shortened: a text to 300 characters, ending with …, or a list to 10 entries."`
	Winner *string    `json:"winner,omitempty" enum:"ours,theirs" example:"ours" doc:"For a conflict: the side whose value is used."`
	Rule   *string    `json:"rule,omitempty" enum:"edited_here,full_sync" example:"edited_here" doc:"For a conflict, the reason: edited_here keeps a field that was edited here since both sides last agreed; full_sync uses the platform's value of every field."`
}

// fieldValue is the value of a field on one side.
type fieldValue struct {
	field string
	syncrun.Value
}

type variantValue struct {
	SKU              string        `json:"sku"`
	Size             string        `json:"size"`
	Color            string        `json:"color"`
	Price            *wire.Decimal `json:"price" nullable:"true" doc:"Null: the product's price."`
	GTIN             string        `json:"gtin"`
	MPN              string        `json:"mpn"`
	InventoryPolicy  string        `json:"inventory_policy"`
	RequiresShipping bool          `json:"requires_shipping"`
}

type imageValue struct {
	URL string `json:"url"`
	Alt string `json:"alt"`
}

// MarshalJSON encodes the value as the catalog's operations encode the field.
func (v fieldValue) MarshalJSON() ([]byte, error) {
	switch v.field {
	case "price":
		if v.Text == "" {
			return []byte("null"), nil
		}
		return json.Marshal(wire.Decimal(v.Text))
	case "tags":
		return json.Marshal(wire.Each(v.Tags, func(tag string) string { return tag }))
	case "images":
		return json.Marshal(wire.Each(v.Images, func(i catalog.Image) imageValue { return imageValue{i.URL, i.Alt} }))
	case "attributes":
		if v.Attributes == nil {
			return []byte("{}"), nil
		}
		return json.Marshal(v.Attributes)
	case "variants":
		return json.Marshal(wire.Each(v.Variants, toAPIVariantValue))
	}
	return json.Marshal(v.Text)
}

// Schema describes the values of all fields.
func (fieldValue) Schema(r huma.Registry) *huma.Schema {
	list := func(of reflect.Type, name string) *huma.Schema {
		return &huma.Schema{
			Type:     huma.TypeArray,
			MaxItems: new(syncrun.MaxValueEntries),
			Items:    r.Schema(of, true, name),
		}
	}
	text := &huma.Schema{Type: huma.TypeString}
	price := wire.Decimal("").Schema(r)
	price.Description = "A price."
	attributes := &huma.Schema{
		Type:                 huma.TypeObject,
		Description:          "Attributes that the other side lacks or has with another value.",
		AdditionalProperties: text,
	}
	tags := &huma.Schema{
		Type:        huma.TypeArray,
		Description: "Tags.",
		MaxItems:    new(syncrun.MaxValueEntries),
		Items:       text,
	}
	images := list(reflect.TypeFor[imageValue](), "ImageValue")
	images.Description = "Images."
	variants := list(reflect.TypeFor[variantValue](), "VariantValue")
	variants.Description = "Variants that the other side lacks or has with other values."
	return &huma.Schema{
		AnyOf: []*huma.Schema{text, price, tags, images, attributes, variants},
		Examples: []any{"Trail tent", json.Number("149.5"), []any{"camping"}, []any{map[string]any{"url": "https://example.com/tent.jpg", "alt": "A tent"}},
			map[string]any{"season": "3"}},
	}
}

func toAPIVariantValue(v syncrun.VariantValue) variantValue {
	out := variantValue{
		SKU:              v.SKU,
		Size:             v.Size,
		Color:            v.Color,
		GTIN:             v.GTIN,
		MPN:              v.MPN,
		InventoryPolicy:  v.InventoryPolicy,
		RequiresShipping: !v.Digital,
	}
	if v.Price != "" {
		out.Price = new(wire.Decimal(v.Price))
	}
	return out
}

type syncChangesInput struct {
	OnSync
	operation.Paging
	Kind     string `query:"kind" enum:"created,changed,archived,conflict"`
	Resource string `query:"resource" enum:"products,orders,customers"`
}

func (h *handlers) listSyncChanges(ctx context.Context, rq operation.Request, in *syncChangesInput) (*wire.Output[SyncChangesView], error) {
	run, err := h.findSync(ctx, rq, &in.OnSync)
	if err != nil {
		return nil, err
	}
	filter := ports.ChangeFilter{Kind: syncrun.ChangeKinds[in.Kind]}
	filter.Resource, _ = syncrun.ParseResource(in.Resource) // the schema allows no other resource
	list, total, err := rq.Stores.SyncChanges.List(ctx, run.Project, run.Integration, run.ID, filter, in.Page())
	if err != nil {
		return nil, err
	}
	counts, all := run.Changes()
	page := operation.ToAPIList(list, toAPISyncChange, in.Page(), total).Body
	return &wire.Output[SyncChangesView]{Body: SyncChangesView{
		Data: page.Data,
		Meta: page.Meta,
		Found: syncFound{
			Created:   counts[syncrun.Create],
			Changed:   counts[syncrun.Modify],
			Archived:  counts[syncrun.Archive],
			Conflicts: counts[syncrun.Conflict],
		},
		Cut: !all,
	}}, nil
}

type conflictsInput struct {
	OnIntegration
	operation.Paging
}

func (h *handlers) listConflicts(ctx context.Context, rq operation.Request, in *conflictsInput) ([]syncrun.Change, int, error) {
	i, err := h.findIntegration(ctx, rq, in.OnIntegration)
	if err != nil {
		return nil, 0, err
	}
	return rq.Stores.SyncChanges.Conflicts(ctx, i.Project, i.ID, in.Page())
}

func toAPISyncChange(c syncrun.Change) SyncChangeView {
	return SyncChangeView{
		SyncID:   wire.ToOptionalID(c.Run),
		Kind:     c.Kind.String(),
		Resource: c.Resource.String(),
		RecordID: c.Remote,
		LocalID:  wire.ToOptional(c.Local),
		Title:    wire.ToOptional(c.Title),
		Fields:   wire.Each(c.Fields, toAPIFieldChange),
		At:       wire.ToTime(c.At),
	}
}

func toAPIFieldChange(f syncrun.FieldChange) fieldChangeView {
	return fieldChangeView{
		Field:  f.Field,
		Ours:   fieldValue{f.Field, f.Ours},
		Theirs: fieldValue{f.Field, f.Theirs},
		Cut:    f.Ours.Cut || f.Theirs.Cut,
		Winner: wire.ToOptional(f.Rule.Winner()),
		Rule:   wire.ToOptional(f.Rule.String()),
	}
}
