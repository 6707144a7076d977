package custom

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	concurrency   = 4  // concurrent requests for levels
	maxLevelPages = 10 // pages of levels per item
)

// ReadLevels reads the stock of items, item by item.
func (s *Connector) ReadLevels(ctx ports.Outbound, c ports.Connection, items []string) (records []syncrun.Record, err error) {
	items = slices.Compact(slices.Sorted(slices.Values(items)))
	lists := make([][]syncrun.Record, len(items))
	var all errgroup.Group
	all.SetLimit(concurrency)
	for n, item := range items {
		all.Go(func() (err error) {
			lists[n], err = s.levelsOf(ctx, c, item)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(lists...), nil
}

// levelsOf reads an item's levels. An answer with levels of other items is a PlatformFailure and no refusal, because the pieces that
// the order took would be counted twice.
func (s *Connector) levelsOf(ctx ports.Outbound, c ports.Connection, item string) (list []syncrun.Record, err error) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}, "item_id": {item}}
	if sku, is := strings.CutPrefix(item, bySKU); is {
		query = url.Values{"limit": {strconv.Itoa(pageSize)}, "sku": {sku}}
	}
	for range maxLevelPages {
		var answer page
		if err := s.platform.Ask(ctx, request(c, "/inventory?"+query.Encode()), &answer); err != nil {
			return nil, err
		}
		if err := s.check(answer, syncrun.Inventory); err != nil {
			return nil, err
		}
		for _, r := range connectors.Records(answer.Data, func(raw json.RawMessage) syncrun.Record {
			return record(syncrun.Inventory, raw, instant{})
		}) {
			switch {
			case r.Problem != "":
				return nil, s.platform.Failed("has stock that cannot be read: "+r.Problem, nil)
			case r.Deleted:
				continue
			case !isLevelOf(r.Level, query) || len(list) > 0 && r.Level.Item == "" && r.Level.SKU != list[0].Level.SKU:
				return nil, s.platform.Failed("answers GET /inventory for one item with levels of others", nil)
			}
			list = append(list, r)
		}
		if answer.Next == nil || *answer.Next == "" {
			for n := range list {
				list[n].Level.Item = item
			}
			return list, nil
		}
		query.Set("cursor", *answer.Next)
	}
	return nil, s.platform.Failed("has no end of an item's levels", nil)
}

// isLevelOf reports whether a level belongs to the requested item. A level without an item_id does.
func isLevelOf(l *syncrun.Level, asked url.Values) bool {
	if sku := asked.Get("sku"); sku != "" {
		return l.SKU == sku
	}
	return l.Item == "" || l.Item == asked.Get("item_id")
}
