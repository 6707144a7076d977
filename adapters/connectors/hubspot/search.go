package hubspot

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// A search returns the records that changed from Since until the request for its first page, and pages by id: each
// page starts after the highest id of the page before. HubSpot's own paging counts positions, so that a record which
// changes meanwhile moves and another one is skipped. It also ends after 10,000 results, and many records may have
// changed in the same millisecond. Records that change after the search began are left to the next search, because a
// late change would otherwise hide an earlier one of a record that was passed already.
//
// The first page has the number of matching records in "total"
// (https://developers.hubspot.com/docs/api-reference/2026-03/crm/search-the-crm, read 2026-11-28). Lists have no total.

// searchCursor is the position of a search.
type searchCursor struct {
	until time.Time
	id    uint64
}

func (s searchCursor) String() string { return fmt.Sprintf("%d.%d", s.until.UnixMilli(), s.id) }

func parseSearchCursor(text string) (s searchCursor, ok bool) {
	var millis int64
	_, err := fmt.Sscanf(text, "%d.%d", &millis, &s.id)
	s.until = time.UnixMilli(millis)
	return s, err == nil
}

type filter struct {
	Property string `json:"propertyName"`
	Operator string `json:"operator"`
	Value    string `json:"value"`
}

type sorting struct {
	Property  string `json:"propertyName"`
	Direction string `json:"direction"`
}

type filters struct {
	Filters []filter `json:"filters"`
}

type query struct {
	Groups     []filters `json:"filterGroups"`
	Sorts      []sorting `json:"sorts"`
	Properties []string  `json:"properties"`
	Limit      int       `json:"limit"`
}

const idProperty = "hs_object_id" // the property that has the id

func (k kind) query(since time.Time, at searchCursor) query {
	within := []filter{
		{k.modified, "GTE", strconv.FormatInt(since.UnixMilli(), 10)},
		{k.modified, "LTE", strconv.FormatInt(at.until.UnixMilli(), 10)},
	}
	if at.id > 0 {
		within = append(within, filter{idProperty, "GT", strconv.FormatUint(at.id, 10)})
	}
	return query{
		Groups: []filters{{within}}, Sorts: []sorting{{idProperty, "ASCENDING"}},
		Properties: k.properties, Limit: searchPageSize,
	}
}

func (s *Connector) search(ctx context.Context, c ports.Connection, k kind, r ports.PageRequest) (ports.RecordPage, error) {
	at := searchCursor{until: s.clock.Now()}
	if r.Cursor != "" {
		var ours bool
		if at, ours = parseSearchCursor(r.Cursor); !ours {
			return ports.RecordPage{}, s.platform.Refused("gave no such page: start the sync anew")
		}
	}
	request := s.request(c, objectsPath+k.name+"/search")
	request.JSON = k.query(r.Since, at)
	answer, err := s.ask(ctx, request)
	if err != nil {
		return ports.RecordPage{}, err
	}
	found := ports.RecordPage{Records: k.records(answer, r.Resource)}
	if r.Cursor == "" { // the totals of later pages count the rest only
		found.Total.Count = answer.Total
	}
	if answer.Paging.Next.After != "" && len(found.Records) > 0 {
		if at.id = highestID(found.Records); at.id == 0 {
			return ports.RecordPage{}, s.platform.Failed("sent a page without any id", nil)
		}
		found.Next = at.String()
	}
	return found, nil
}

// highestID returns the highest id, or 0 if no record has one. The caller of Read notices if it is not higher than
// that of the previous page, as when HubSpot ignores the filter.
func highestID(records []syncrun.Record) (highest uint64) {
	for _, r := range records {
		if id, err := strconv.ParseUint(r.Remote, 10, 64); err == nil {
			highest = max(highest, id)
		}
	}
	return highest
}
