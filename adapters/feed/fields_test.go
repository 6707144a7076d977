package feed_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// oneID makes one id of each kind.
type oneID struct{}

func (oneID) Product() id.Product { return id.New[id.Product]([16]byte{1}) }
func (oneID) Variant() id.Variant { return id.New[id.Variant]([16]byte{1}) }

const given = "the server gives it"

// notWritten are fields of a product that merchants do not write.
var notWritten = []string{"ID", "Project", "CreatedAt", "UpdatedAt", "Variants[].ID"}

// imported returns the product that a feed creates.
func imported(t *testing.T, name, text string) *catalog.Product {
	t.Helper()
	made, _, err := catalog.Create(id.Project{}, only(t, name, text), money.USD, oneID{}, fieldtest.Start)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// A feed carries every field of a product under its own name, in the words of the Management API.
func TestNDJSON_everyField(t *testing.T) {
	t.Parallel()
	p := fieldtest.Fill[catalog.Product](catalog.Archived, catalog.Backorder)
	for i := range p.Images {
		p.Images[i].URL = "/" + p.Images[i].URL
	}
	for i := range p.Variants {
		p.Variants[i].GTIN = []string{"4006381333931", "96385074"}[i]
	}
	text, err := json.Marshal(object(reflect.ValueOf(p)))
	if err != nil {
		t.Fatal(err)
	}
	except := fieldtest.Reasons{}
	for _, field := range notWritten {
		except["catalog.Product."+field] = given
	}
	fieldtest.Survive(t, except, fieldtest.Pair{Sent: p, Got: imported(t, "a.ndjson", string(text))})
}

// object is a value as a feed writes it, by the names of its fields.
func object(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case money.Amount:
		return json.Number(value.String())
	case catalog.Status:
		return value.String()
	case catalog.InventoryPolicy:
		return value.String()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return object(v.Elem())
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = object(v.Index(i))
		}
		return list
	case reflect.Struct:
		members := map[string]any{}
		for i := range v.NumField() {
			switch name := v.Type().Field(i).Name; {
			case slices.Contains(notWritten, name):
			case name == "Digital":
				members["requires_shipping"] = !v.Field(i).Bool()
			case name == "Average":
				members["average_rating"] = json.Number(fmt.Sprintf("%.2f", float64(v.Field(i).Int())/100))
			default:
				members[strings.ToLower(words.ReplaceAllString(name, "${1}_${2}"))] = object(v.Field(i))
			}
		}
		return members
	}
	return v.Interface()
}

var words = regexp.MustCompile(`([a-z])([A-Z])`)

// A table that has every column sets every field of a product but those that have no column.
func TestTable_everyField(t *testing.T) {
	t.Parallel()
	p := imported(t, "a.csv", "sku,variant_sku,name,price,category,brand,description,color,size,cost,competitor_price,negotiable,tags,image_url,attributes.season,gtin,mpn,inventory_policy,requires_shipping\n"+
		"A,A-R,Tent,20,outdoor/tents,Fell,Dry,Red,M,10,19,true,a|b,/a.svg,3,4006381333931,F-1,backorder,false\nA,A-B,,21,,,,Blue,L,,,,,,,96385074,F-2,always_available,false\n")
	p.ID, p.Project = oneID{}.Product(), id.Stored[id.Project]("given by the server")
	const none = "a table has no column for it"
	fieldtest.Survive(t, fieldtest.Reasons{"catalog.Product.Reviews": none, "catalog.Product.Related": none}, fieldtest.Pair{Sent: p, Got: p})
}
