package console

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// buyerCard is the card about the buyer on the page of an order, return or dispute.
type buyerCard struct {
	Facts   []fact
	Orders  string // the address of the buyer's orders; "": there are no others
	Earlier []pastOrder
}

// pastOrder is another order of the buyer.
type pastOrder struct {
	Address, Number, Said, Exact string
	Pills                        []pill
}

// mostPast is how many other orders of a buyer a page shows.
const mostPast = 4

func (v *memberRequest) buyerCard(o *orderDetail) (card buyerCard, err error) {
	known, err := fetch[list[order]](v.api, "/v1/orders", url.Values{"q": {o.Email}, "limit": {strconv.Itoa(mostPast + 1)}})
	if err != nil {
		return card, err
	}
	w := v.shop.words
	card.Facts = []fact{
		{Label: "E-mail", Value: o.Email},
		{Label: "Orders so far", Value: thousands(known.Meta.Total)},
		{Label: "Bought", Value: w.clock(o.CreatedAt)},
	}
	if at := o.Fulfillment.DeliveredAt; at != nil {
		card.Facts = append(card.Facts, fact{Label: "Delivered", Value: w.clock(*at)})
	}
	card.Facts = append(card.Facts, fact{Label: "Ships to", Value: strings.Join(slices.DeleteFunc([]string{o.Address.City, o.Address.Country}, empty), ", ")})
	if known.Meta.Total > 1 {
		card.Orders = link(v.shop.Path()+"/orders", url.Values{"q": {o.Email}})
	}
	for i := range known.Data {
		past := &known.Data[i]
		if past.ID == o.ID || len(card.Earlier) == mostPast {
			continue
		}
		card.Earlier = append(card.Earlier, pastOrder{
			Address: v.shop.Path() + "/orders/" + past.ID,
			Number:  past.Confirmation,
			Said:    w.clock(past.CreatedAt) + " · " + w.amount(past.Total, past.Currency),
			Exact:   past.CreatedAt.Format(time.RFC3339),
			Pills:   past.pills(),
		})
	}
	return card, nil
}

// returnWindow returns until when the order's goods can be returned, or "" before they have arrived.
func (v *memberRequest) returnWindow(o *orderDetail) (until string, err error) {
	if o.Fulfillment.DeliveredAt == nil {
		return "", nil
	}
	shop, err := fetch[struct {
		Days int `json:"return_window_days"`
	}](v.api, "/v1/projects/"+v.shop.ID+"/storefront", nil)
	if err != nil {
		return "", err
	}
	return v.shop.words.day(o.Fulfillment.DeliveredAt.In(v.shop.zone).AddDate(0, 0, shop.Days)), nil
}
