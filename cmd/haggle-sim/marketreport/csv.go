package marketreport

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/haggle-commerce/haggle/app/simulating"
	"github.com/haggle-commerce/haggle/domain/market"
)

// WriteCSV writes a line for every negotiation, with prices in minor units. The price is empty if there was no deal.
func WriteCSV(w io.Writer, all []simulating.Ended) error {
	table := csv.NewWriter(w)
	_ = table.Write([]string{"population", "strategy", "buyer", "reservation_price", "first_offer", "deadline", "offers", "price", "note"}) // Error returns the error
	for _, e := range all {
		price, note := "", ""
		if e.Price > 0 {
			price = strconv.FormatInt(e.Price, 10)
		}
		switch {
		case e.Broken != market.Kept:
			note = e.Broken.String()
		case e.Lost:
			note = "no answer"
		}
		_ = table.Write([]string{
			e.Population, e.Strategy, strconv.Itoa(e.Number), strconv.FormatInt(e.Worth, 10), strconv.FormatInt(e.First, 10),
			strconv.Itoa(e.Deadline), strconv.Itoa(e.Rounds), price, note,
		})
	}
	table.Flush()
	return table.Error()
}
