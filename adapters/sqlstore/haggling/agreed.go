package haggling

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// agreedNow is a column of the row of a session: its agreements that can still be redeemed, in one text, so that
// reading them takes no statement of its own. Ids, numbers and currencies have neither spaces nor commas.
func agreedNow(clock string) string {
	return fmt.Sprintf(`COALESCE((
  SELECT string_agg(id || ' ' || product_id || ' ' || variant_id || ' ' || quantity || ' ' || final_price || ' ' || currency, ',')
  FROM (
    SELECT id, product_id, variant_id, quantity, final_price, currency
    FROM quotes
    WHERE quotes.session_id = sessions.id
      AND quotes.project_id = sessions.project_id
      AND state = 'accepted'
      AND redeemed_by = ''
      AND token_hash <> ''
      AND valid_until > %s
    ORDER BY seq DESC
    LIMIT %d
  ) AS newest
), '')`, clock, ports.MostAgreed)
}

// agreements reads what agreedNow wrote.
func (s *sessionNow) agreements() []checkout.Agreement {
	if s.Agreed == "" {
		return nil
	}
	var list []checkout.Agreement
	for text := range strings.SplitSeq(s.Agreed, ",") {
		parts := strings.Split(text, " ")
		if len(parts) != 6 {
			continue
		}
		quantity, _ := strconv.Atoi(parts[3])
		price, _ := strconv.ParseInt(parts[4], 10, 64)
		currency, err := money.ParseCurrency(parts[5])
		if err != nil {
			continue
		}
		list = append(list, checkout.Agreement{
			Quote:    id.Stored[id.Quote](parts[0]),
			Product:  id.Stored[id.Product](parts[1]),
			Variant:  id.Stored[id.Variant](parts[2]),
			Quantity: quantity,
			Price:    money.Of(price, currency),
		})
	}
	return list
}
