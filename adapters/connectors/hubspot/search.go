package hubspot

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// A search goes by ids: what changed from Since until the first page was asked for, each page after the
// highest id of the one before. Its own paging counts positions, so that a record which changes meanwhile
// moves and another one slips through; it ends after 10,000 results, and many records may have changed in
// the same millisecond. What changes later than the search began is left to the next one, for else a late
// change would hide an earlier one of a record that was passed already. The first page tells how many there are: "total", the
// number of records that match (https://developers.hubspot.com/docs/api-reference/2026-03/crm/search-the-crm, read
// 2026-11-28). Lists tell no total.

// spot is how far a search has come.
type spot struct {
	until time.Time
	id    uint64
}

func (s spot) String() string { return fmt.Sprintf("%d.%d", s.until.UnixMilli(), s.id) }

func parseSpot(text string) (s spot, ok bool) {
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

const numbered = "hs_object_id" // the property that is the id

func (k kind) query(since time.Time, at spot) query {
	within := []filter{
		{k.modified, "GTE", strconv.FormatInt(since.UnixMilli(), 10)},
		{k.modified, "LTE", strconv.FormatInt(at.until.UnixMilli(), 10)},
	}
	if at.id > 0 {
		within = append(within, filter{numbered, "GT", strconv.FormatUint(at.id, 10)})
	}
	return query{
		Groups: []filters{{within}}, Sorts: []sorting{{numbered, "ASCENDING"}},
		Properties: k.properties, Limit: searched,
	}
}

func (s *Connector) search(ctx context.Context, c ports.Connection, k kind, r ports.PageRequest) (ports.RecordPage, error) {
	at := spot{until: s.clock.Now()}
	if r.Cursor != "" {
		var ours bool
		if at, ours = parseSpot(r.Cursor); !ours {
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
	if r.Cursor == "" { // later pages search for less
		found.Total.Count = answer.Total
	}
	if answer.Paging.Next.After != "" && len(found.Records) > 0 {
		if at.id = highest(found.Records); at.id == 0 {
			return ports.RecordPage{}, s.platform.Failed("sent a page without any id", nil)
		}
		found.Next = at.String()
	}
	return found, nil
}

// highest is the highest id; 0 if there is none. That it is no higher than the one before, as when HubSpot
// does not search for what it was asked, is noticed by whoever reads the pages.
func highest(records []syncrun.Record) (highest uint64) {
	for _, r := range records {
		if id, err := strconv.ParseUint(r.Remote, 10, 64); err == nil {
			highest = max(highest, id)
		}
	}
	return highest
}
