package segment

import (
	"unsafe"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

// Measured memory per entry, including maps.
const (
	bytesOfProduct  = 900 // its columns, three map entries and the product's struct
	bytesOfVariant  = 220
	bytesOfSpelling = 130
	BytesOfName     = 120
	bytesOfShades   = 28 // the colours that a name lists
	BytesOfText     = 24 // a string in a list, without its characters
)

// measureBytes adds up the memory of a segment's lists.
func (s *Segment) measureBytes() {
	s.Bytes = int64(len(s.Words.postings))*int64(unsafe.Sizeof(Posting{})) + int64(len(s.Titles))*4 +
		int64(len(s.Documents))*bytesOfProduct + int64(len(s.Variants))*bytesOfVariant +
		int64(len(s.Words.Terms.text)+len(s.Spoken.Words.text)) + int64(s.Spoken.Words.Len())*bytesOfSpelling
	for i := range s.Products {
		s.Bytes += textBytes(s.Product(uint32(i)))
	}
}

// productBytes returns the memory of a product in a segment, without its words.
func productBytes(p *catalog.Product) int64 {
	return bytesOfProduct + int64(len(p.Variants))*bytesOfVariant + textBytes(p)
}

func textBytes(p *catalog.Product) (n int64) {
	n = int64(len(p.Name) + len(p.Description) + len(p.Brand) + len(p.Category) + len(p.SKU) + len(p.Reviews.Summary))
	for key, value := range p.Attributes {
		n += int64(len(key)+len(value)) + 48
	}
	for _, image := range p.Images {
		n += int64(len(image.URL)+len(image.Alt)) + 32
	}
	for _, text := range p.Tags {
		n += int64(len(text)) + BytesOfText
	}
	for _, text := range p.Related {
		n += int64(len(text)) + BytesOfText
	}
	for _, v := range p.Variants {
		n += int64(len(v.SKU) + len(v.Size) + len(v.Color) + len(v.GTIN) + len(v.MPN))
	}
	return n
}
